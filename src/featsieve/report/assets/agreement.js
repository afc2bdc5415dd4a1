// Heatmap of the rank correlations between the methods.

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
    const showNumbers = methods.length <= (narrow ? 8 : 16);
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
        font: { size: 12, color: Math.abs(value || 0) > 0.6 ? color("page") : color("ink") },
      }))) : [],
    });
    plot.style.height = `${Math.max(240, Math.min(760, 46 * methods.length + 90))}px`;
    Plotly.react(plot, [trace], layout, PLOT_OPTIONS);
  }

  figures.push(draw);
  draw();
}
