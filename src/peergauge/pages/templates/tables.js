// Tables with more rows than fit a page: search, filter, sort, leaf, and open what stands behind a row.
for (const table of document.querySelectorAll("table.rows")) {
  const tools = document.getElementById(`${table.id}-tools`);
  if (!tools) continue;
  const [search, size] = [tools.querySelector("input"), tools.querySelector("select.size")];
  const filters = [...tools.querySelectorAll("select.filter")];
  const [back, on] = tools.querySelectorAll("button.leaf");
  const [said, all] = [tools.querySelector("output"), tools.querySelector("button.all")];
  const rows = [...table.tBodies];
  const heads = [...table.tHead.rows].at(-1).cells;
  const order = new Intl.Collator("en", {numeric: true});
  let found = rows, first = 0, opened = false;

  function show() {
    const many = size.value === "all" ? found.length : Number(size.value);
    const last = Math.min(first + many, found.length);
    const shown = new Set(found.slice(first, last));
    const fits = new Set(found);
    for (const row of rows) {
      row.classList.toggle("rest", !shown.has(row));
      row.classList.toggle("out", !fits.has(row));
    }
    for (const row of shown) dress(row);
    said.textContent = found.length ? `${first + 1}–${last} of ${found.length}` : "none found";
    back.disabled = first === 0;
    on.disabled = last >= found.length;
  }

  // Only rows that are looked at get a button, so that large tables stay quick.
  function dress(row) {
    const why = row.rows[1];
    if (!why || row.querySelector("button")) return;
    const head = row.rows[0].cells[0];
    const button = document.createElement("button");
    button.className = "open";
    button.append(...head.childNodes);
    button.setAttribute("aria-expanded", opened);
    row.classList.toggle("opened", opened);
    button.addEventListener("click", () => set(row, !row.classList.contains("opened")));
    head.append(button);
  }

  function set(row, open) {
    row.classList.toggle("opened", open);
    row.querySelector("button.open")?.setAttribute("aria-expanded", open);
  }

  function key(row, column) {
    const cell = row.rows[0].cells[column];
    const text = cell.dataset.v ?? cell.textContent.trim();
    return text.replace("−", "-").replace(/\s%$/, "");
  }

  function sort(column, head) {
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const keys = new Map(rows.map(row => [row, key(row, column)]));
    const missing = text => text === "" || text === "–" || text === "nan";
    rows.sort((a, b) => {
      const [x, y] = [keys.get(a), keys.get(b)];
      if (missing(x) || missing(y)) return missing(x) - missing(y);
      const [m, n] = [Number(x), Number(y)];
      const less = Number.isNaN(m) || Number.isNaN(n) ? order.compare(x, y) : m - n;
      return down ? -less : less;
    });
    table.append(...rows);
    look();
  }

  function look() {
    const words = search.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    const chosen = filters.filter(filter => filter.value);
    found = rows.filter(row => {
      // Names and words only: 13 is looked for in names, and not in grades such as 7.13.
      row.text ??= [...row.rows[0].querySelectorAll("th, td.who, td.words, td.gap")]
        .map(cell => cell.textContent).join(" ").toLocaleLowerCase();
      return words.every(word => row.text.includes(word)) && chosen.every(filter =>
        row.rows[0].cells[filter.dataset.column].textContent.trim() === filter.value);
    });
    tools.classList.toggle("filtered", found.length < rows.length);
    tools.dataset.found = `${found.length} of ${rows.length} rows, by the search and the filters`;
    first = 0;
    show();
  }

  [...heads].forEach((head, column) => {
    if (head.classList.contains("still")) return;
    const button = document.createElement("button");
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(column, head));
    head.append(button);
  });
  search.addEventListener("input", look);
  for (const filter of filters) filter.addEventListener("change", look);
  size.addEventListener("change", () => { first = 0; show(); });
  back.addEventListener("click", () => { first = Math.max(0, first - Number(size.value)); show(); });
  on.addEventListener("click", () => { first += Number(size.value); show(); });
  all?.addEventListener("click", () => {
    opened = !opened;
    for (const row of rows) set(row, opened);
    all.textContent = opened ? "Close all explanations" : "Open all explanations";
    all.setAttribute("aria-pressed", opened);
  });
  show();
}

// Compare two graders: the probability that one has the higher reward, by a normal distribution.
function compare(people) {
  const [one, other] = ["one", "other"].map(name => document.getElementById(`compare-${name}`));
  const answer = document.getElementById("compared");
  const known = new Map(people.map(person => [person[0], person]));
  const list = document.getElementById("people");
  for (const [name] of people) list.append(new Option(name, name));

  // Abramowitz & Stegun 7.1.26, with an error of at most 1.5e-7.
  function below(z) {
    const t = 1 / (1 + 0.3275911 * Math.abs(z) / Math.SQRT2);
    const poly = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t
      + 0.254829592) * t;
    const tail = poly * Math.exp(-z * z / 2) / 2;
    return z > 0 ? 1 - tail : tail;
  }

  function written(value) { return value.toFixed(3).replace("-", "−"); }

  function tell() {
    const [a, b] = [known.get(one.value), known.get(other.value)];
    if (!a || !b) { answer.textContent = "Choose two graders."; return; }
    const spread = Math.hypot(a[2], b[2]);
    const chance = a === b || spread === 0 ? 0.5 : below((a[1] - b[1]) / spread);
    const [better, worse, sure] = chance >= 0.5 ? [a, b, chance] : [b, a, 1 - chance];
    const bare = sure < 0.75 ? " This is not much better than tossing a coin." : "";
    answer.textContent = a === b ? "Choose two different graders."
      : a[3] !== b[3] ? "These two graders are in different parts of the class, which share no grader, "
        + "so they cannot be compared."
      : `The probability that ${better[0]} is the better grader of the two is `
        + `${(100 * sure).toFixed(1)}\u00a0%: their mean rewards are ${written(better[1])} and `
        + `${written(worse[1])}.${bare}`;
  }

  for (const field of [one, other]) field.addEventListener("input", tell);
  const peer = people.find((person, place) => place > 0 && person[3] === people[0][3]) ?? people[1];
  if (peer) [one.value, other.value] = [people[0][0], peer[0]];
  tell();
}
