// Rank correlations between the methods, as a heatmap.

function drawAgreement() {
  const plot = document.getElementById("agreement-plot");
  if (!plot) return;
  const { methods, matrix } = report.agreement;
  // places on the axes are numbers, so that two equal names stay two rows
  const places = methods.map((_, place) => place);
  const names = methods.map((name) => plain(name, 20));

  function draw() {
    const narrow = plot.clientWidth < 520;
    const step = methods.length > 10 ? 5 : 1;  // more numbers than that have no room on a phone
    const short = names.map((name, place) => (!narrow ? name : (place + 1) % step ? "" : String(place + 1)));
    const rows = names.map((name, place) => (narrow ? `${place + 1} ${plain(methods[place], 14)}` : name));
    const written = methods.length <= (narrow ? 8 : 16);
    const trace = {
      type: "heatmap", x: places, y: places, z: matrix, zmin: -1, zmax: 1, xgap: 2, ygap: 2,
      colorscale: [[0, color("heat-low")], [0.5, color("surface")], [1, color("heat-high")]],
      showscale: true, colorbar: { thickness: 10, len: 0.9, outlinewidth: 0, tickfont: { color: color("muted") }, tickvals: [-1, 0, 1] },
      text: matrix.map((row, i) => row.map((value, j) => `${rows[i]} and ${rows[j]}: ${number(value, 2)}`)),
      hovertemplate: "%{text}<extra></extra>",
    };
    const axis = { tickvals: places, showgrid: false, zeroline: false, showline: false };
    const layout = baseLayout({
      xaxis: { ...axis, ticktext: short, side: "bottom", tickangle: narrow ? 0 : methods.length > 6 ? -40 : 0 },
      yaxis: { ...axis, ticktext: rows, autorange: "reversed" },
      annotations: written ? matrix.flatMap((row, i) => row.map((value, j) => ({
        x: j, y: i, text: number(value, 2), showarrow: false,
        font: { size: 12, color: Math.abs(value || 0) > 0.6 ? color("page") : color("ink") },
      }))) : [],
    });
    plot.style.height = `${Math.max(240, Math.min(760, 46 * methods.length + 90))}px`;
    Plotly.react(plot, [trace], layout, PLOT_OPTIONS);
  }

  figures.push(draw);
  draw();
}
