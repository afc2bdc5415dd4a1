// Sortable tables, and the table of features, which shows one page at a time.

const collator = new Intl.Collator(undefined, { numeric: true });

// Compare two values; missing values are last in both directions.
function compare(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  return sign * (typeof a === "string" ? collator.compare(a, b) : a - b);
}

// Mark a heading as the sorted one and return the sign of its direction; a second click reverses it.
function sortState(headings, heading, first) {
  const current = heading.getAttribute("aria-sort");
  const next = current ? (current === "ascending" ? "descending" : "ascending") : first;
  for (const other of headings) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", next);
  return next === "ascending" ? 1 : -1;
}

function sortable(table) {
  const headings = Array.from(table.tHead.rows[0].cells);
  headings.forEach((heading, column) => {
    const button = heading.querySelector("button");
    if (!button) return;
    button.addEventListener("click", () => {
      const sign = sortState(headings, heading, heading.dataset.first || "ascending");
      const value = (row) => {
        const cell = row.cells[column];
        if (cell.dataset.value === undefined) return cell.textContent.trim();
        return cell.dataset.value === "" ? null : Number(cell.dataset.value);
      };
      const rows = Array.from(table.tBodies[0].rows).map((row) => [value(row), row]);
      rows.sort((a, b) => compare(a[0], b[0], sign));
      table.tBodies[0].replaceChildren(...rows.map(([, row]) => row));
    });
  });
}

function featureTable() {
  const table = document.getElementById("features");
  if (!table) return;
  const { noun, names, consensus, methods, recommended } = report.features;
  const best = recommended && methods[recommended.index];
  const control = (id) => document.getElementById(id);
  const search = control("feature-search"), topInput = control("feature-top"), pageSize = control("feature-page");
  const shows = control("feature-shows"), status = control("feature-status");
  const all = names.map((_, index) => index);
  const lower = names.map((name) => name.toLowerCase());
  let counts = new Array(names.length).fill(0);  // methods that rank the feature in the top
  let rows = all, page = 0, sign = 1, key = (index) => (best ? best.ranks[index] : index);

  const topSize = () => Number(topInput.value) || 0;
  const inTop = (method, index) => method.ranks[index] !== null && method.ranks[index] <= topSize();
  const cellValue = (method, index) => (method[shows.value] ? method[shows.value][index] : null);
  const columns = [
    { name: noun[0].toUpperCase() + noun.slice(1), key: (index) => names[index] },
    ...(best ? recommendedColumns(best, recommended) : []),
    ...(consensus ? [{ name: "Consensus", key: (index) => consensus[index], title: "rank by mean rank over the methods that beat random selection" }] : []),
    { name: "In top", key: (index) => counts[index], first: "descending", title: "methods that rank it in the highlighted top",
      text: (index) => `${counts[index]} of ${methods.length}` },
    ...methods.map((method) => ({
      name: method.label, method,
      key: (index) => cellValue(method, index),
    })),
  ];

  const headings = columns.map((column) => {
    const button = element("button", { type: "button", title: column.title || column.name });
    button.append(column.method ? cut(column.name) : column.name);
    const heading = element("th", { scope: "col" }, button);
    button.addEventListener("click", () => {
      sign = sortState(headings, heading, column.first || "ascending");
      key = column.key;
      page = 0;
      order();
    });
    return heading;
  });
  if (best) headings[1].setAttribute("aria-sort", "ascending");
  table.tHead.replaceChildren(element("tr", {}, ...headings));

  function countTop() {
    counts = all.map((index) => methods.filter((method) => inTop(method, index)).length);
  }

  function filter() {
    const text = search.value.trim().toLowerCase();
    rows = text ? all.filter((index) => lower[index].includes(text)) : all.slice();
    page = 0;
    order();
  }

  function order() {
    rows = rows.map((index) => [key(index), index])
      .sort((a, b) => compare(a[0], b[0], sign) || a[1] - b[1]).map(([, index]) => index);
    draw();
  }

  function row(index) {
    const cells = columns.slice(1).map((column) => {
      const value = column.key(index);
      const text = column.text ? column.text(index) : value === null ? "\u2013" : typeof value === "string" ? cut(value) : String(value);
      const ranked = column.method || column.ranked;
      return element("td", ranked && inTop(ranked, index) ? { class: "top" } : {}, text);
    });
    return element("tr", {}, element("th", { scope: "row" }, cut(names[index])), ...cells);
  }

  function draw() {
    const length = Number(pageSize.value);
    const pages = Math.max(1, Math.ceil(rows.length / length));
    page = Math.min(Math.max(page, 0), pages - 1);
    const begin = page * length, end = Math.min(begin + length, rows.length);
    table.tBodies[0].replaceChildren(...rows.slice(begin, end).map(row));
    status.textContent = rows.length
      ? `${(begin + 1).toLocaleString()}\u2013${end.toLocaleString()} of ${rows.length.toLocaleString()} ${noun}s`
      : `no ${noun} name contains this text`;
    control("feature-first").disabled = control("feature-back").disabled = page === 0;
    control("feature-next").disabled = control("feature-last").disabled = page === pages - 1;
  }

  const turn = (target) => () => { page = target(page); draw(); };
  control("feature-first").addEventListener("click", turn(() => 0));
  control("feature-back").addEventListener("click", turn((current) => current - 1));
  control("feature-next").addEventListener("click", turn((current) => current + 1));
  control("feature-last").addEventListener("click", turn(() => Infinity));
  search.addEventListener("input", filter);
  topInput.addEventListener("input", () => { countTop(); order(); });
  pageSize.addEventListener("change", () => { page = 0; draw(); });
  shows.addEventListener("change", order);
  control("feature-csv").addEventListener("click", () => download(rows, report.features));
  countTop();
  order();
}

// Columns of the recommended method.
function recommendedColumns(best, { frequency, interchangeable }) {
  const others = (index) => interchangeable[index].join(", ");
  const share = (index) => `${Math.round(100 * frequency[index])}%`;
  const columns = [
    { name: "Rank", ranked: best, key: (index) => best.ranks[index], title: "rank by the recommended method" },
    { name: "Kept in splits", key: (index) => frequency[index], first: "descending", text: share, title: "share of the splits in which it is among the recommended number" },
    { name: "Interchangeable with", key: (index) => others(index) || null, title: "absolute correlation of at least 0.9" },
  ];
  if (best.scores) columns.splice(1, 0, { name: "Score", key: (index) => best.scores[index], title: "score by the recommended method" });
  return columns;
}

// Save the filtered and sorted rows as a CSV file.
function download(rows, { noun, names, consensus, methods, recommended }) {
  const field = (value) => (value === null || value === undefined ? "" : `"${String(value).replace(/"/g, '""')}"`);
  const best = recommended && methods[recommended.index];
  const columns = [[noun, (index) => names[index]]];
  if (best) {
    columns.push(["rank", (index) => best.ranks[index]], ["score", (index) => best.scores && best.scores[index]]);
    columns.push(["frequency", (index) => recommended.frequency[index]]);
    columns.push(["interchangeable", (index) => recommended.interchangeable[index].join("; ")]);
  }
  if (consensus) columns.push(["consensus", (index) => consensus[index]]);
  for (const method of methods) columns.push([method.label, (index) => method.ranks[index]]);
  const lines = [columns.map(([name]) => name), ...rows.map((index) => columns.map(([, value]) => value(index)))];
  const file = new Blob([lines.map((line) => line.map(field).join(",")).join("\r\n") + "\r\n"], { type: "text/csv" });
  const link = element("a", { href: URL.createObjectURL(file), download: "features.csv" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
