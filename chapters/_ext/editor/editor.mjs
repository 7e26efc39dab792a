// The editor of the book's tasks: CodeMirror with Python, and what the page's scripts need of it.
// Bundled by `npm ci && npm run build`; the result is committed, so that readers need neither.
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from "@codemirror/commands";
import { python, pythonLanguage } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, EditorView, drawSelection, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

const setMarked = StateEffect.define(); // the numbers of the lines that are at fault
const marked = StateField.define({
  create: () => Decoration.none,
  update(before, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setMarked)) {
        const lines = effect.value.filter((n) => n >= 1 && n <= transaction.state.doc.lines);
        const wrong = Decoration.line({ class: "cm-at-fault" });
        return Decoration.set(lines.map((n) => wrong.range(transaction.state.doc.line(n).from)), true);
      }
    }
    // an edited line is no longer the one that was at fault
    return transaction.docChanged ? Decoration.none : before;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** An editor with a text; `numbered` gives the number that a line is shown with. */
export function edit({ parent, text, label, help, numbered, changed, check }) {
  const numbers = new Compartment();
  const gutter = () => lineNumbers({ formatNumber: (n) => String(numbered(n)) });
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        numbers.of(gutter()),
        highlightSpecialChars(),
        history(),
        drawSelection(),
        EditorView.lineWrapping,
        EditorState.allowMultipleSelections.of(false),
        indentUnit.of("    "),
        EditorState.tabSize.of(4),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        syntaxHighlighting(classHighlighter),
        python(),
        marked,
        keymap.of([
          { key: "Mod-Enter", run: () => (check(), true), preventDefault: true },
          ...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab,
        ]),
        EditorView.contentAttributes.of({
          "aria-label": label, "aria-describedby": help, tabindex: "0", autocapitalize: "off", autocorrect: "off", spellcheck: "false",
        }),
        EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString())),
      ],
    }),
  });
  return {
    view,
    text: () => view.state.doc.toString(),
    /** Put another text here; undoing takes back no more than that. */
    set: (next) => view.dispatch({
      changes: { from: 0, to: view.state.doc.length, insert: next }, annotations: isolateHistory.of("full"),
    }),
    /** Ask anew which numbers the lines are shown with. */
    renumber: () => view.dispatch({ effects: numbers.reconfigure(gutter()) }),
    mark: (lines) => view.dispatch({ effects: setMarked.of(lines) }),
    /** Select the rest of the line where a text stands first, so that typing takes its place. */
    go(wanted) {
      const at = view.state.doc.toString().indexOf(wanted);
      if (at < 0) return;
      const { to } = view.state.doc.lineAt(at);
      view.dispatch({ selection: { anchor: to, head: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    },
    focus: () => view.focus(),
  };
}

const NAMED = ["FunctionDefinition", "ClassDefinition"];

/** Where the functions and classes of a module stand: [{name, from, to}], places in its text.

The parser of the editor goes on after a mistake, so this works while a function is being written. */
export function definitions(text) {
  const found = [];
  for (let node = pythonLanguage.parser.parse(text).topNode.firstChild; node; node = node.nextSibling) {
    const inner = node.name === "DecoratedStatement" ? NAMED.map((name) => node.getChild(name)).find(Boolean) : node;
    const name = inner && NAMED.includes(inner.name) && inner.getChild("VariableName");
    const end = node.from + text.slice(node.from, node.to).trimEnd().length; // the parser's ends behind blank lines
    if (name) found.push({ name: text.slice(name.from, name.to), from: node.from, to: end });
  }
  return found;
}
