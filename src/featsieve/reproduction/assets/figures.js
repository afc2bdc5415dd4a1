// The figures of the papers: small multiples that share one legend.

const BASE = { random: { color: "random", dash: "dash" }, all: { color: "ink", dash: "dot" } };

// The look of each line by its name. Baselines are not counted; one of a single line is thin, in its color.
function lineStyles(lines) {
  const own = Array.from(new Set(lines.filter((line) => !BASE[line.label]).map((line) => line.name)));
  return new Map(lines.map((line) => {
    const look = BASE[line.label] || methodStyle(own.indexOf(line.name));
    return [line.name, line.of ? { ...look, color: methodStyle(own.indexOf(line.of)).color, thin: true } : look];
  }));
}

function isPoint(line) {
  return line.sizes.length === 1;
}

// What the legend shows of a line: a stroke, or a dot where the line is a single point.
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

// Deviations are drawn where they leave the lines to be seen.
const MOST_WITH_BARS = 4;

function drawPanel(plot, panel, hidden, styles) {
  const own = panel.lines.filter((line) => !BASE[line.label]).length;
  const shown = panel.lines.filter((line) => !hidden.has(line.name));
  shown.sort((one, other) => isPoint(one) - isPoint(other)); // points lie above lines
  const traces = shown.map((line) => {
    const style = styles.get(line.name);
    const point = isPoint(line);
    const few = line.sizes.length !== 2 && line.sizes.length < 40 && !BASE[line.label];
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
        type: "data", array: line.spread, visible: few && own <= MOST_WITH_BARS && (line.spread || []).some((value) => value > 0),
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
  const draw = () => panels.forEach((panel, place) => drawPanel(plots[place], panel, hidden, styles));
  figure.querySelector(".legend").replaceChildren(...Array.from(styles, ([name, style]) => {
    const key = legendKey(style, lines.filter((line) => line.name === name).every(isPoint));
    const button = element("button", { type: "button", "aria-pressed": "true" }, key, cut(name));
    button.addEventListener("click", () => {
      const on = hidden.has(name);
      if (on) hidden.delete(name); else hidden.add(name);
      button.setAttribute("aria-pressed", String(on));
      draw();
    });
    return element("li", {}, button);
  }));
  figures.push(draw);
  draw();
}

for (const figure of document.querySelectorAll("figure[data-figure]")) drawFigure(figure);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
