// Curves over the number of features, with bands and a legend of buttons.

// On a log axis labels need room: those at least a factor apart, and the last.
function sizeTicks(sizes, factor) {
  const last = sizes[sizes.length - 1];
  const kept = [];
  for (const size of sizes) {
    if ((!kept.length || size >= factor * kept[kept.length - 1]) && last >= factor * size) kept.push(size);
  }
  return [...kept, last];
}

function translucent(hex, alpha) {
  const value = parseInt(hex.slice(1), 16);
  return `rgba(${value >> 16}, ${(value >> 8) & 255}, ${value & 255}, ${alpha})`;
}

// A line and its band: two traces, or one where there is no band.
function lineTraces(sizes, line, alone, digits) {
  const shade = color(line.color);
  const traces = [];
  if (line.low && line.high) {
    const band = { x: sizes, type: "scatter", mode: "lines", line: { width: 0 }, hoverinfo: "skip" };
    traces.push({ ...band, y: line.low });
    traces.push({ ...band, y: line.high, fill: "tonexty", fillcolor: translucent(shade, line.wide ? 0.18 : alone ? 0.16 : 0.1) });
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

// figure: an element with a .legend and a .plot; lines(): the lines now; looks(): titles of the axes now.
function curveFigure(figure, lines, looks) {
  const plot = figure.querySelector(".plot");
  const legend = figure.querySelector(".legend");
  const hidden = new Set(lines().filter((line) => line.off).map((line) => line.key));

  function draw() {
    const shown = lines().filter((line) => !hidden.has(line.key));
    const { sizes, yTitle, digits } = looks();
    const traces = shown.flatMap((line) => lineTraces(sizes, line, shown.length < 4, digits));
    const ticks = sizeTicks(sizes, plot.clientWidth < 520 ? 2 : 1.45);
    const layout = baseLayout({
      xaxis: {
        type: "log", titleText: "features kept (log scale)", tickvals: ticks, ticktext: ticks.map(String),
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
      const on = hidden.has(line.key);
      if (on) hidden.delete(line.key); else hidden.add(line.key);
      button.setAttribute("aria-pressed", String(on));
      draw();
    });
    return element("li", {}, button);
  }));
  figures.push(draw);
  draw();
  return draw;
}

function methodLines(series) {
  // series: one entry for each of report.methods, null where there is none
  return report.methods.flatMap((method, place) => {
    const line = series[place];
    if (!line) return [];
    return [{ ...line, ...methodStyle(place), key: place, name: method.label, off: !method.shown }];
  });
}

function drawCurves() {
  const figure = document.getElementById("curves");
  if (!figure) return;
  const choice = document.getElementById("measure");
  const current = () => report.curves[choice ? choice.selectedIndex : 0];
  const draw = curveFigure(figure, () => {
    const { methods, random, all } = current();
    const lines = methodLines(methods);
    if (random) lines.push({ ...random, key: "random", name: "random selection", color: "random", dash: "dash", width: 2.2, wide: true });
    if (all) lines.push({ ...all, key: "all", name: "all features", color: "ink", dash: "dot", width: 1.8 });
    return lines;
  }, () => ({ sizes: report.sizes, yTitle: current().name, digits: current().digits }));
  if (!choice) return;
  const show = () => {
    for (const part of document.querySelectorAll("[data-measure]")) part.hidden = part.dataset.measure !== String(choice.selectedIndex);
    draw();
  };
  choice.addEventListener("change", show);
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
    if (random) lines.push({ ...random, key: "random", name: "random selection", color: "random", dash: "dash", wide: true });
    return lines;
  }, () => ({ sizes, yTitle: "mean absolute correlation", digits: 3 }));
}
