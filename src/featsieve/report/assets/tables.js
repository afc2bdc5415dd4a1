// Tables: headings that sort, and the table of features, which is drawn a page at a time.

const collator = new Intl.Collator(undefined, { numeric: true });

// Missing values come last, whichever way the table is sorted.
function compare(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  return sign * (typeof a === "string" ? collator.compare(a, b) : a - b);
}

// One heading of the row is sorted; pressing it again turns it round.
function sortState(headings, chosen, first) {
  const was = chosen.getAttribute("aria-sort");
  const next = was ? (was === "ascending" ? "descending" : "ascending") : first;
  for (const heading of headings) heading.removeAttribute("aria-sort");
  chosen.setAttribute("aria-sort", next);
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
  const { noun, names, consensus, methods } = report.features;
  const control = (id) => document.getElementById(id);
  const search = control("feature-search"), mark = control("feature-mark"), size = control("feature-page");
  const shows = control("feature-shows"), status = control("feature-status");
  const every = names.map((_, place) => place);
  const lower = names.map((name) => name.toLowerCase());
  let kept = new Array(names.length).fill(0);
  let rows = every, page = 0, sign = 1, key = (place) => consensus[place];

  const shown = (method, place) => {
    const values = { rank: method.ranks, score: method.scores, part: method.parts }[shows.value];
    return values ? values[place] : null;
  };
  const columns = [
    { name: noun[0].toUpperCase() + noun.slice(1), key: (place) => names[place] },
    { name: "Consensus", key: (place) => consensus[place], title: "rank of the mean rank" },
    { name: "Kept by", key: (place) => kept[place], first: "descending", title: "methods that have it at the top" },
    ...methods.map((method) => ({
      name: method.label, method,
      key: (place) => shown(method, place),
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
  headings[1].setAttribute("aria-sort", "ascending");
  table.tHead.replaceChildren(element("tr", {}, ...headings));

  function countKept() {
    const top = Number(mark.value) || 0;
    kept = every.map((place) => methods.reduce((sum, method) => sum + (method.ranks[place] !== null && method.ranks[place] <= top), 0));
  }

  function filter() {
    const wanted = search.value.trim().toLowerCase();
    rows = wanted ? every.filter((place) => lower[place].includes(wanted)) : every.slice();
    page = 0;
    order();
  }

  function order() {
    rows = rows.map((place) => [key(place), place])
      .sort((a, b) => compare(a[0], b[0], sign) || a[1] - b[1]).map(([, place]) => place);
    draw();
  }

  function row(place) {
    const top = Number(mark.value) || 0;
    const cells = methods.map((method) => {
      const rank = method.ranks[place];
      const value = shown(method, place);
      const text = value === null ? "\u2013" : shows.value === "part" ? cut(value) : String(value);
      return element("td", rank !== null && rank <= top ? { class: "kept" } : {}, text);
    });
    return element("tr", {},
      element("th", { scope: "row" }, cut(names[place])),
      element("td", {}, consensus[place] === null ? "\u2013" : String(consensus[place])),
      element("td", {}, `${kept[place]} of ${methods.length}`), ...cells);
  }

  function draw() {
    const length = Number(size.value);
    const pages = Math.max(1, Math.ceil(rows.length / length));
    page = Math.min(Math.max(page, 0), pages - 1);
    const begin = page * length, end = Math.min(begin + length, rows.length);
    table.tBodies[0].replaceChildren(...rows.slice(begin, end).map(row));
    status.textContent = rows.length ? `${(begin + 1).toLocaleString()}\u2013${end.toLocaleString()} of ${rows.length.toLocaleString()} ${noun}s` : `no ${noun} has that in its name`;
    control("feature-first").disabled = control("feature-back").disabled = page === 0;
    control("feature-next").disabled = control("feature-last").disabled = page === pages - 1;
  }

  const turn = (to) => () => { page = to(page); draw(); };
  control("feature-first").addEventListener("click", turn(() => 0));
  control("feature-back").addEventListener("click", turn((now) => now - 1));
  control("feature-next").addEventListener("click", turn((now) => now + 1));
  control("feature-last").addEventListener("click", turn(() => Infinity));
  search.addEventListener("input", filter);
  mark.addEventListener("input", () => { countKept(); order(); });
  size.addEventListener("change", () => { page = 0; draw(); });
  shows.addEventListener("change", order);
  control("feature-csv").addEventListener("click", () => download(rows, report.features));
  countKept();
  order();
}

// The rows as they are now, filtered and sorted, as a file.
function download(rows, { noun, names, consensus, methods }) {
  const field = (value) => (value === null ? "" : `"${String(value).replace(/"/g, '""')}"`);
  const head = [noun, "consensus", ...methods.map((method) => method.label)];
  const lines = [head, ...rows.map((place) => [names[place], consensus[place], ...methods.map((method) => method.ranks[place])])];
  const file = new Blob([lines.map((line) => line.map(field).join(",")).join("\r\n") + "\r\n"], { type: "text/csv" });
  const link = element("a", { href: URL.createObjectURL(file), download: "features.csv" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
