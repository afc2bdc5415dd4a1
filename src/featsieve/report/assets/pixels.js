// The top pixels of each method, drawn over the mean image.

function drawPixels() {
  const slider = document.getElementById("pixel-count");
  if (!slider) return;
  const { height, width, positions, mean } = report.pixels;
  const output = document.getElementById("pixel-output");
  const canvases = Array.from(document.querySelectorAll("canvas[data-method]"));

  function draw() {
    const top = Number(slider.value);
    output.textContent = `${top} of ${positions.length} pixels`;
    const accent = rgb("curve-1"), empty = rgb("surface");
    for (const canvas of canvases) {
      const { ranks } = report.features.methods[Number(canvas.dataset.method)];
      const picture = canvas.getContext("2d").createImageData(width, height);
      positions.forEach((position, feature) => {
        const rank = ranks[feature];
        const selected = rank !== null && rank <= top;
        const gray = mean ? [mean[feature], mean[feature], mean[feature]] : empty;
        // Selected pixels are slightly transparent.
        const shade = selected ? accent.map((channel, i) => 0.78 * channel + 0.22 * gray[i]) : gray;
        picture.data.set([...shade, 255], 4 * position);
      });
      canvas.getContext("2d").putImageData(picture, 0, 0);
      canvas.setAttribute("aria-label", `${report.features.methods[Number(canvas.dataset.method)].label}: top ${top} pixels`);
    }
  }

  slider.addEventListener("input", draw);
  figures.push(draw);
  draw();
}
