// Curves over the number of selected features, with bands and a legend of buttons.

// Width of a tick label with 4 digits, and of the title and labels of the other axis.
const TICK_WIDTH = 40, MARGIN_WIDTH = 60;

// Tick labels that do not overlap on a log axis of this width, among them the last size.
function sizeTicks(sizes, width) {
  const last = sizes[sizes.length - 1];
  const factor = (last / sizes[0]) ** (TICK_WIDTH / (width - MARGIN_WIDTH));
  const ticks = [];
  for (const size of sizes) {
    if ((!ticks.length || size >= factor * ticks[ticks.length - 1]) && last >= factor * size) ticks.push(size);
  }
  return [...ticks, last];
}

// Number of methods that have bands together.
const MAX_BANDS = 3, BAND_ALPHA = 0.17;

// Traces of a line and of its band.
function lineTraces(sizes, line, banded, digits) {
  const shade = color(line.color);
  const traces = [];
  if (banded && line.low && line.high) {
    const band = { x: sizes, type: "scatter", mode: "lines", line: { width: 0 }, hoverinfo: "skip" };
    traces.push({ ...band, y: line.low });
    traces.push({ ...band, y: line.high, fill: "tonexty", fillcolor: `rgba(${rgb(line.color).join()}, ${BAND_ALPHA})` });
  }
  traces.push({
    x: sizes, y: line.mean, type: "scatter", name: plain(line.name), connectgaps: false,
    mode: line.symbol ? "lines+markers" : "lines",
    line: { color: shade, width: line.width || 2.2, dash: line.dash || "solid" },
    marker: { color: shade, symbol: line.symbol || "circle", size: 6 },
    hovertemplate: `%{fullData.name}: %{y:.${digits}f}<extra></extra>`,
  });
  return traces;
}

// figure: element with a .legend and a .plot. lines() and axes() return the current lines, sizes and titles.
function curveFigure(figure, lines, axes) {
  const plot = figure.querySelector(".plot");
  const legend = figure.querySelector(".legend");
  const hidden = new Set(lines().filter((line) => !line.visible).map((line) => line.key));

  function draw() {
    const visible = lines().filter((line) => !hidden.has(line.key));
    const { sizes, yTitle, digits } = axes();
    const methods = visible.filter((line) => line.symbol);
    // the bands of many methods cover each other
    const banded = methods.length <= MAX_BANDS ? methods : [methods.find((line) => line.recommended) || methods[0]];
    const traces = visible.flatMap((line) => lineTraces(sizes, line, !line.symbol || banded.includes(line), digits));
    const ticks = sizeTicks(sizes, plot.clientWidth);
    const layout = baseLayout({
      xaxis: {
        type: "log", titleText: "number of selected features (log scale)", tickvals: ticks, ticktext: ticks.map(String),
        hoverformat: "d", showgrid: false, tickangle: 0, ticks: "outside", tickcolor: color("line"),
        unifiedhovertitle: { text: "<b>%{x:d} features</b>" },
      },
      yaxis: { titleText: plain(yTitle, 60), tickformat: digits === 1 ? "~g" : ".2~f" },
      hovermode: "x unified",
    });
    Plotly.react(plot, traces, layout, PLOT_OPTIONS);
  }

  legend.replaceChildren(...lines().map((line) => {
    const button = element("button", { type: "button", "aria-pressed": String(!hidden.has(line.key)) }, swatch(line), cut(line.name));
    button.addEventListener("click", () => {
      const show = hidden.has(line.key);
      if (show) hidden.delete(line.key); else hidden.add(line.key);
      button.setAttribute("aria-pressed", String(show));
      draw();
    });
    return element("li", {}, button);
  }));
  figures.push(draw);
  draw();
  return draw;
}

function methodLines(series) {
  // series: one entry per method of report.methods, null for a method without values
  return report.methods.flatMap((method, index) => {
    const line = series[index];
    if (!line) return [];
    return [{ ...line, ...methodStyle(index), key: index, name: method.label, visible: method.visible, recommended: method.recommended }];
  });
}

function randomLine(random) {
  return { ...random, key: "random", name: "random selection", color: "random", dash: "dash", visible: true };
}

function drawCurves() {
  const figure = document.getElementById("curves");
  if (!figure) return;
  const choice = document.getElementById("measure");
  const current = () => report.curves[choice ? choice.selectedIndex : 0];
  const draw = curveFigure(figure, () => {
    const { methods, random, all } = current();
    const lines = methodLines(methods);
    if (random) lines.push(randomLine(random));
    if (all) lines.push({ ...all, key: "all", name: "all features", color: "ink", dash: "dot", width: 1.8, visible: true });
    return lines;
  }, () => ({ sizes: report.sizes, yTitle: current().name, digits: current().digits }));
  if (!choice) return;
  choice.addEventListener("change", () => {
    for (const block of document.querySelectorAll("[data-measure]")) {
      block.hidden = block.dataset.measure !== String(choice.selectedIndex);
    }
    draw();
  });
}

function drawStability() {
  const figure = document.getElementById("stability-figure");
  if (!figure) return;
  const { sizes, methods } = report.stability;
  curveFigure(figure, () => methodLines(methods), () => ({ sizes, yTitle: "stability index", digits: 2 }));
}

function drawRedundancy() {
  const figure = document.getElementById("redundancy-figure");
  if (!figure) return;
  const { sizes, methods, random } = report.redundancy;
  curveFigure(figure, () => {
    const lines = methodLines(methods);
    if (random) lines.push(randomLine(random));
    return lines;
  }, () => ({ sizes, yTitle: "mean absolute correlation", digits: 3 }));
}
