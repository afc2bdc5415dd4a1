"use strict";
// The summary of the comparison, as `featsieve report --json` prints it.
const report = JSON.parse(document.getElementById("report-data").textContent);

const DASHES = ["solid", "dash", "dot", "dashdot"];
const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "x", "cross", "triangle-down"];

// Current color of the style sheet, which depends on dark mode and printing.
function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// Red, green and blue of a color of the style sheet, from 0 to 255.
function rgb(name) {
  const value = parseInt(color(name).slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

// Create an element with attributes and children. Text is never parsed as markup.
function element(tag, attributes, ...children) {
  const created = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) created.setAttribute(key, value);
  created.append(...children);
  return created;
}

// A name of any length, truncated by the style sheet and complete in the tooltip.
function cut(name) {
  return element("span", { class: "cut", title: name }, name);
}

// Escape a name for Plotly, which parses markup in its texts.
function plain(name, length = 28) {
  const letters = Array.from(name);
  const short = letters.length > length ? letters.slice(0, length - 1).join("") + "\u2026" : name;
  return short.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/\s+/g, " ");
}

function number(value, digits = 3) {
  if (value === null || value === undefined) return "\u2013";
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "\u2212");
}

function methodStyle(index) {
  const count = 7;
  const round = Math.floor(index / count);
  return {
    color: `curve-${index % count}`,
    dash: DASHES[round % DASHES.length],
    symbol: SYMBOLS[(index + round) % SYMBOLS.length],
  };
}

function swatch(line) {
  const namespace = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(namespace, "svg");
  svg.setAttribute("viewBox", "0 0 24 10");
  svg.setAttribute("aria-hidden", "true");
  const stroke = document.createElementNS(namespace, "line");
  const dashes = { dash: "6 3", dot: "2 3", dashdot: "7 3 2 3" };
  const attributes = { x1: 0, x2: 24, y1: 5, y2: 5, "stroke-width": 3, "stroke-dasharray": dashes[line.dash] || "none" };
  for (const [key, value] of Object.entries(attributes)) stroke.setAttribute(key, value);
  stroke.style.stroke = `var(--${line.color})`;
  svg.append(stroke);
  return svg;
}

// Functions that draw the figures, called again when the colors or the page width change.
const figures = [];

function redraw() {
  for (const draw of figures) draw();
}

function baseLayout(extra) {
  const axis = {
    gridcolor: color("line"), linecolor: color("line"), zerolinecolor: color("line"),
    tickfont: { color: color("muted"), size: 12 }, automargin: true, fixedrange: true,
    title: { font: { color: color("muted"), size: 13 }, standoff: 10 },
  };
  const layout = {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: color("sans"), color: color("ink"), size: 13 },
    margin: { l: 8, r: 8, t: 8, b: 8 }, showlegend: false, autosize: true,
    hoverlabel: { bgcolor: color("surface"), bordercolor: color("line"), font: { color: color("ink"), family: color("sans") } },
  };
  for (const name of ["xaxis", "yaxis"]) {
    const options = (extra && extra[name]) || {};
    layout[name] = { ...axis, ...options, title: { ...axis.title, text: options.titleText || "" } };
    delete layout[name].titleText;
  }
  for (const [key, value] of Object.entries(extra || {})) {
    if (key !== "xaxis" && key !== "yaxis") layout[key] = value;
  }
  return layout;
}

const PLOT_OPTIONS = { displayModeBar: false, responsive: true, showTips: false };
