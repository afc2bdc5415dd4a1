// The figures of the papers: small multiples that share one legend.

const BASE = { random: { colour: "random", dash: "dash" }, all: { colour: "ink", dash: "dot" } };

function lineStyle(line, place) {
  return BASE[line.label] || methodStyle(place);
}

// Deviations are drawn where they leave the lines to be seen.
const MOST_WITH_BARS = 4;

function drawPanel(plot, panel, hidden, names) {
  const own = panel.lines.filter((line) => !BASE[line.label]).length;
  const traces = panel.lines.filter((line) => !hidden.has(line.name)).map((line) => {
    const style = lineStyle(line, names.indexOf(line.name));
    const few = line.sizes.length !== 2 && line.sizes.length < 40 && !BASE[line.label];
    return {
      x: line.sizes, y: line.mean, type: "scatter", name: plain(line.name, 40), connectgaps: false,
      mode: few ? "lines+markers" : "lines",
      line: { color: colour(style.colour), width: 2, dash: style.dash || "solid" },
      marker: { color: colour(style.colour), symbol: style.symbol || "circle", size: 6 },
      hovertemplate: "%{fullData.name}: %{y:.2f}<extra></extra>",
      error_y: {
        type: "data", array: line.spread, visible: few && own <= MOST_WITH_BARS && (line.spread || []).some((value) => value > 0),
        color: colour(style.colour), thickness: 1, width: 2,
      },
    };
  });
  const layout = baseLayout({
    xaxis: { titleText: plain(panel.axis, 60), type: panel.log ? "log" : "linear", showgrid: false, ticks: "outside", tickcolor: colour("line") },
    yaxis: { titleText: plain(panel.measure, 60), tickformat: "~g" },
    hovermode: "x unified",
  });
  Plotly.react(plot, traces, layout, PLOT_OPTIONS);
}

function drawFigure(figure) {
  const { panels } = report.figures[Number(figure.dataset.figure)];
  const plots = Array.from(figure.querySelectorAll(".plot"));
  const names = Array.from(new Set(panels.flatMap((panel) => panel.lines.map((line) => line.name))));
  const labels = new Map(panels.flatMap((panel) => panel.lines.map((line) => [line.name, line.label])));
  const hidden = new Set();
  const draw = () => panels.forEach((panel, place) => drawPanel(plots[place], panel, hidden, names));
  figure.querySelector(".legend").replaceChildren(...names.map((name, place) => {
    const key = swatch(lineStyle({ label: labels.get(name) }, place));
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
