"""Chromium, driven with the network off."""

import base64
import json
import os
import shutil
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)

# Condition under which a report is ready.
PLOTTED = "return document.querySelectorAll('.js-plotly-plot .main-svg').length > 0"


class Browser:
    """Chromium with one page, its log and its network requests."""

    def __init__(self, driver):
        self.driver = driver
        self.find = driver.find_element
        self.script = driver.execute_script
        self.command = driver.execute_cdp_cmd

    def open(self, path, width=1280, height=900, dark=False, ready=PLOTTED):
        self.command("Network.enable", {})
        offline = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
        self.command("Network.emulateNetworkConditions", offline)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.command("Emulation.setEmulatedMedia", {"features": [scheme]})
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.command("Emulation.setDeviceMetricsOverride", screen)
        for log in ("browser", "performance"):
            self.driver.get_log(log)
        self.driver.get(path.as_uri())
        self.until(ready)

    def until(self, condition, seconds=20):
        end = time.monotonic() + seconds
        while not self.script(condition):
            assert time.monotonic() < end, f"never came true: {condition}"
            time.sleep(0.05)

    def click(self, selector):
        self.script(
            "document.querySelector(arguments[0]).scrollIntoView({block: 'center', behavior: 'instant'})",
            selector,
        )
        self.find("css selector", selector).click()

    def write(self, selector, text):
        self.script(
            "const field = document.querySelector(arguments[0]); field.value = arguments[1];"
            "field.dispatchEvent(new Event('input')); field.dispatchEvent(new Event('change'));",
            selector,
            text,
        )

    def column(self, number):
        """Texts of a column of the table of features."""
        return self.script(
            "return [...document.querySelectorAll('#features tbody tr')]"
            ".map((row) => row.cells[arguments[0]].textContent)",
            number,
        )

    def requests(self):
        """Addresses that the page requested."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [each["params"] for each in messages if each["method"] == "Network.requestWillBeSent"]
        return [each["request"]["url"] for each in sent]

    def picture(self, path, height=None):
        height = height or self.script("return document.documentElement.scrollHeight")
        width = self.script("return document.documentElement.clientWidth")
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        taken = self.command("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        Path(path).write_bytes(base64.b64decode(taken["data"]))


@contextmanager
def chromium():
    """A driver of Chromium, which CI must have; elsewhere the test is skipped without it."""
    binary = shutil.which("chromium") or shutil.which("google-chrome")
    chromedriver = shutil.which("chromedriver")
    if not binary or not chromedriver:
        message = "chromium and chromedriver are not installed"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    from selenium import webdriver

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = binary
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(chromedriver))
        try:
            yield driver
        finally:
            driver.quit()
