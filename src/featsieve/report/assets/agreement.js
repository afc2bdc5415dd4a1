// Heatmap of the rank correlations between the methods.

// Width of the row labels and the color bar, and of a number with its sign.
const AXIS_WIDTH = 170, NUMBER_WIDTH = 33;

// Relative luminance at which dark and light text have the same contrast.
const MIDDLE_LUMINANCE = 0.18;

// Color of the text on the shade of a correlation.
function textColor(value) {
  const strongest = rgb(value < 0 ? "heat-low" : "heat-high");
  const channels = rgb("surface").map((channel, i) => (channel + Math.abs(value) * (strongest[i] - channel)) / 255);
  const [red, green, blue] = channels.map((channel) => channel ** 2.2);
  const isLight = 0.2126 * red + 0.7152 * green + 0.0722 * blue > MIDDLE_LUMINANCE;
  const [dark, light] = getComputedStyle(document.documentElement).colorScheme === "dark" ? ["page", "ink"] : ["ink", "page"];
  return color(isLight ? dark : light);
}

function drawAgreement() {
  const plot = document.getElementById("agreement-plot");
  if (!plot) return;
  const { methods, matrix } = report.agreement;
  // Numeric axis positions keep two methods with the same name apart.
  const positions = methods.map((_, index) => index);
  const names = methods.map((name) => plain(name, 20));

  function draw() {
    const narrow = plot.clientWidth < 520;
    const step = methods.length > 10 ? 5 : 1;  // a phone has no room for more numbers
    const columnLabels = names.map((name, index) => (!narrow ? name : (index + 1) % step ? "" : String(index + 1)));
    const rowLabels = names.map((name, index) => (narrow ? `${index + 1} ${plain(methods[index], 14)}` : name));
    const showNumbers = (plot.clientWidth - AXIS_WIDTH) / methods.length >= NUMBER_WIDTH;
    const trace = {
      type: "heatmap", x: positions, y: positions, z: matrix, zmin: -1, zmax: 1, xgap: 2, ygap: 2,
      colorscale: [[0, color("heat-low")], [0.5, color("surface")], [1, color("heat-high")]],
      showscale: true, colorbar: { thickness: 10, len: 0.9, outlinewidth: 0, tickfont: { color: color("muted") }, tickvals: [-1, 0, 1] },
      text: matrix.map((row, i) => row.map((value, j) => `${rowLabels[i]} and ${rowLabels[j]}: ${number(value, 2)}`)),
      hovertemplate: "%{text}<extra></extra>",
    };
    const axis = { tickvals: positions, showgrid: false, zeroline: false, showline: false };
    const layout = baseLayout({
      xaxis: { ...axis, ticktext: columnLabels, side: "bottom", tickangle: narrow ? 0 : methods.length > 6 ? -40 : 0 },
      yaxis: { ...axis, ticktext: rowLabels, autorange: "reversed" },
      annotations: showNumbers ? matrix.flatMap((row, i) => row.map((value, j) => ({
        x: j, y: i, text: number(value, 2), showarrow: false,
        font: { size: 12, color: textColor(value || 0) },
      }))) : [],
    });
    plot.style.height = `${Math.max(240, Math.min(760, 46 * methods.length + 90))}px`;
    Plotly.react(plot, [trace], layout, PLOT_OPTIONS);
  }

  figures.push(draw);
  draw();
}
