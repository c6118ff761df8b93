(() => {
  "use strict";
  const panels = document.querySelectorAll(".panel");
  const choose = document.getElementById("choose");
  const nodes = document.querySelectorAll(".graph [data-predicate]");
  const show = (key, scroll) => {
    const wanted = document.getElementById("p" + key);
    if (!wanted) return;
    panels.forEach((panel) => { panel.hidden = panel !== wanted; });
    nodes.forEach((node) => node.classList.toggle("selected", node.dataset.predicate === key));
    choose.value = key;
    if (scroll) document.getElementById("predicates").scrollIntoView({ behavior: "smooth", block: "nearest" });
  };
  const follow = (target) => {
    show(target.dataset.predicate, true);
    document.querySelectorAll(".marked").forEach((item) => item.classList.remove("marked"));
    const clause = target.dataset.clause && document.getElementById(target.dataset.clause);
    if (clause) {
      clause.classList.add("marked");
      clause.scrollIntoView({ behavior: "smooth", block: "center" });
    }
  };
  document.addEventListener("click", (event) => {
    const target = event.target.closest("[data-predicate]");
    if (target) {
      event.preventDefault();
      follow(target);
      return;
    }
    const tab = event.target.closest("[data-tab]");
    if (tab) {
      document.querySelectorAll("[data-tab]").forEach((other) => other.classList.toggle("active", other === tab));
      document.querySelectorAll(".tab").forEach((panel) => { panel.hidden = panel.id !== "tab-" + tab.dataset.tab; });
    }
  });
  document.addEventListener("keydown", (event) => {
    const target = event.target.closest && event.target.closest(".graph [data-predicate]");
    if (target && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      follow(target);
    }
  });
  choose.addEventListener("change", () => show(choose.value, false));
  show("0", false);
})();
