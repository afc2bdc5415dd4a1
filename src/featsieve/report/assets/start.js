// Draw everything, and draw it again when dark mode changes or the page is printed.
for (const table of document.querySelectorAll("table[data-sortable]")) sortable(table);
featureTable();
drawCurves();
drawAgreement();
drawStability();
drawRedundancy();
drawPixels();

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
  });
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

// Width of A4 and letter paper without margins. Folded tables are unfolded for printing.
const PAPER_WIDTH = 660;
let unfolded = [];
addEventListener("beforeprint", () => {
  document.documentElement.setAttribute("data-paper", "");
  unfolded = Array.from(document.querySelectorAll("details:not([open])"));
  for (const details of unfolded) details.open = true;
  redraw();
  for (const plot of document.querySelectorAll(".js-plotly-plot")) {
    Plotly.relayout(plot, { width: PAPER_WIDTH, height: plot.offsetHeight });
  }
});
addEventListener("afterprint", () => {
  document.documentElement.removeAttribute("data-paper");
  for (const details of unfolded) details.open = false;
  redraw();
});
