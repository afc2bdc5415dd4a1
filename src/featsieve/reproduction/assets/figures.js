// The figures of the papers: small multiples that share one legend.

const BASELINES = { random: { color: "random", dash: "dash" }, all: { color: "ink", dash: "dot" } };

// Styles by line name. Baselines do not use up colors; the baseline of a single line is thin and has its color.
function lineStyles(lines) {
  const methods = Array.from(new Set(lines.filter((line) => !BASELINES[line.label]).map((line) => line.name)));
  return new Map(lines.map((line) => {
    const style = BASELINES[line.label] || methodStyle(methods.indexOf(line.name));
    return [line.name, line.group ? { ...style, color: methodStyle(methods.indexOf(line.group)).color, thin: true } : style];
  }));
}

function isPoint(line) {
  return line.sizes.length === 1;
}

// The symbol of a line in the legend: a stroke, or a dot if the line is a single point.
function legendKey(style, point) {
  const svg = swatch(style);
  if (style.thin) svg.classList.add("thin");
  if (point) {
    const dot = document.createElementNS(svg.namespaceURI, "circle");
    for (const [key, value] of Object.entries({ cx: 12, cy: 5, r: 4 })) dot.setAttribute(key, value);
    dot.style.fill = `var(--${style.color})`;
    svg.replaceChildren(dot);
  }
  return svg;
}

// With more lines, error bars would hide them.
const MAX_LINES_WITH_BARS = 4;

function drawPanel(plot, panel, hidden, styles) {
  const methodCount = panel.lines.filter((line) => !BASELINES[line.label]).length;
  const shown = panel.lines.filter((line) => !hidden.has(line.name));
  shown.sort((one, other) => isPoint(one) - isPoint(other)); // draw points above lines
  const traces = shown.map((line) => {
    const style = styles.get(line.name);
    const point = isPoint(line);
    const few = line.sizes.length !== 2 && line.sizes.length < 40 && !BASELINES[line.label];
    return {
      x: line.sizes, y: line.mean, type: "scatter", name: plain(line.name, 40), connectgaps: false,
      mode: point ? "markers" : few ? "lines+markers" : "lines",
      line: { color: color(style.color), width: style.thin ? 1.25 : 2, dash: style.dash || "solid" },
      marker: {
        color: color(style.color), symbol: point ? "circle" : style.symbol, size: point ? 11 : 6,
        line: { color: color("ink"), width: point ? 1.5 : 0 },
      },
      hovertemplate: "%{fullData.name}: %{y:.2f}<extra></extra>",
      error_y: {
        type: "data", array: line.std, visible: few && methodCount <= MAX_LINES_WITH_BARS && (line.std || []).some((value) => value > 0),
        color: color(style.color), thickness: 1, width: 2,
      },
    };
  });
  const layout = baseLayout({
    xaxis: { titleText: plain(panel.axis, 60), type: panel.log ? "log" : "linear", showgrid: false, ticks: "outside", tickcolor: color("line") },
    yaxis: { titleText: plain(panel.measure, 60), tickformat: "~g" },
    hovermode: "x unified",
  });
  Plotly.react(plot, traces, layout, PLOT_OPTIONS);
}

function drawFigure(figure) {
  const { panels } = report.figures[Number(figure.dataset.figure)];
  const plots = Array.from(figure.querySelectorAll(".plot"));
  const lines = panels.flatMap((panel) => panel.lines);
  const styles = lineStyles(lines);
  const hidden = new Set();
  const draw = () => panels.forEach((panel, index) => drawPanel(plots[index], panel, hidden, styles));
  figure.querySelector(".legend").replaceChildren(...Array.from(styles, ([name, style]) => {
    const key = legendKey(style, lines.filter((line) => line.name === name).every(isPoint));
    const button = element("button", { type: "button", "aria-pressed": "true" }, key, cut(name));
    button.addEventListener("click", () => {
      const show = hidden.has(name);
      if (show) hidden.delete(name); else hidden.add(name);
      button.setAttribute("aria-pressed", String(show));
      draw();
    });
    return element("li", {}, button);
  }));
  figures.push(draw);
  draw();
}

for (const figure of document.querySelectorAll("figure[data-figure]")) drawFigure(figure);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
