/**
 * The contract between the page and the server of the studio.
 *
 * Every call is `POST /api/<name>` with a JSON object and the header `X-Kausal-Token`; the token is the fragment of the address the
 * program prints (`http://127.0.0.1:PORT/#token=…`), so it is never sent by itself. The answer is JSON: the response of the call, or with a
 * status of 400 and above an `ApiError`. `events` alone answers with a stream of lines, one JSON object each (NDJSON).
 *
 * Rules that hold everywhere:
 * - Coordinates are those of the language: millimetres, y up, angles counter-clockwise in degrees.
 * - SVG fragments are in the same unit with y down (so a point (x, y) of the language is (x, -y) there), contain no scripts,
 *   no ids that could clash, and are safe to insert.
 * - Places in a text count UTF-16 code units, as CodeMirror and JavaScript strings do.
 * - A class is named by its full name (`Modelica.Blocks.Math.Gain`), a file by its path; a component by its path in the class.
 * - Values in results are in the base unit of the variable; `toDisplay` converts.
 */

export type Point = [number, number];
/** Two opposite corners, as written: a flipped component has them exchanged. */
export type Extent = [Point, Point];
/** Red, green, blue from 0 to 255. */
export type Color = [number, number, number];

export interface ApiError {
  /** `K0xxx`, or `unauthorized`, `forbidden`, `too-large`, `unknown-call`, `bad-request`, `conflict` (the version is not the newest), `changed-on-disk`, `permission`. */
  code: string;
  message: string;
  help?: string;
  diagnostics?: Diagnostic[];
  /** With code `permission`: what is asked; answer with `permission.answer` and call again. */
  permission?: PermissionRequest;
}

export interface PermissionRequest {
  id: string;
  /** `foreign`: the model calls compiled code of a library or C code; `read`, `write`: files outside the opened folders. */
  kind: "foreign" | "read" | "write";
  /** In words, for a dialog. */
  question: string;
  /** The class that wants it. */
  class: string;
  /** Files or functions. */
  details: string[];
}

// ---------------------------------------------------------------- session

export interface SessionInfo {
  version: string;
  /** Opened folders. */
  folders: string[];
  /** What is at the top of the tree. */
  roots: TreeNode[];
  /** Where new models go by default: the first opened folder, else "" (they live in memory until they are saved elsewhere). */
  home: string;
  /** Whatever the page stored with `state.save`; `null` at first. Lives as long as the server. */
  state: unknown;
  /** Runs that are kept. */
  runs: RunInfo[];
  /** What is wrong, by file. */
  diagnostics: Record<string, Diagnostic[]>;
  /** Texts that were changed. */
  texts: { file: string; dirty: boolean; canUndo: boolean; canRedo: boolean }[];
}

// ---------------------------------------------------------------- tree, search, documentation

export type ClassKind =
  | "class" | "model" | "block" | "record" | "operator record" | "connector" | "expandable connector"
  | "type" | "package" | "function" | "operator function" | "operator";

export interface TreeNode {
  /** Full name. */
  class: string;
  /** Last part of the name. */
  name: string;
  kind: ClassKind;
  description: string;
  partial: boolean;
  /** May have children: ask with `tree`. */
  hasChildren: boolean;
  /** Its file is in an opened folder (or in memory) and can be changed. */
  editable: boolean;
  /** It is a model or block that can be run: neither partial nor full of unconnected inputs as far as that is known quickly. */
  runnable: boolean;
  /** `annotation(experiment(…))` is there. */
  experiment: boolean;
  /** Marked obsolete. */
  obsolete: boolean;
}

export interface IconAnswer {
  class: string;
  /** A complete `<svg>` element with a viewBox; "" where the class has no icon. Cache it by class until the event `classes`. */
  svg: string;
}

export interface Documentation {
  class: string;
  kind: ClassKind;
  description: string;
  icon: string;
  bases: string[];
  parameters: DocEntry[];
  connectors: DocEntry[];
  inputs: DocEntry[];
  outputs: DocEntry[];
  classes: { name: string; kind: ClassKind; description: string }[];
  /** Safe HTML. Links to classes have the address `#class=Full.Name`; links outside open in a new tab. */
  html: string;
}

export interface DocEntry {
  name: string; class: string; value: string; unit: string; description: string; tab: string; group: string;
}

/** Where a class is used: as a component, base class or in a text. */
export interface Usage { class: string; file: string; line: number; offset: number; excerpt: string }

// ---------------------------------------------------------------- texts

export interface TextFile {
  file: string;
  /** Grows with every change. */
  version: number;
  text: string;
  editable: boolean;
  /** Differs from the file on the disk. */
  dirty: boolean;
  /** The classes in it with their places, outer ones first. */
  classes: { class: string; kind: ClassKind; from: number; to: number }[];
}

/** `text.slice(offset, offset + length)` becomes `insert`. Changes of a list are in ascending order, all seen from the text before. */
export interface TextChange { offset: number; length: number; insert: string }

/** The answer to everything that changes a text. */
export interface Edited {
  file: string;
  version: number;
  /** The version the changes start from. */
  from: number;
  changes: TextChange[];
  /** What changed in the picture of the class that was edited; `null`: ask for the diagram again. */
  diagram: DiagramChange | null;
  dirty: boolean;
  canUndo: boolean;
  canRedo: boolean;
  /** Names that were given by the server: of added components, in the order of the edits (`""` for others). */
  names: string[];
  /** Milliseconds in the server. */
  milliseconds: number;
}

export interface Diagnostic {
  severity: "error" | "warning" | "note";
  code: string;
  message: string;
  /** What is said about the place; may be "". */
  label: string;
  help?: string;
  /** The place; absent where it is about the whole model. */
  file?: string;
  from?: number;
  to?: number;
  /** From 1. */
  line?: number;
  column?: number;
  /** The class whose diagram shows it and the component or connection in it: `R1`, or `R1.p C1.n`. */
  class?: string;
  component?: string;
  related: { file: string; from: number; to: number; message: string }[];
}

export interface CompletionItem {
  label: string;
  kind: "class" | "component" | "function" | "keyword" | "attribute" | "literal" | "package" | "snippet" | "other";
  detail: string;
  documentation: string;
  /** What takes the place of [from, to). */
  insert: string;
  from: number;
  to: number;
}

export interface Definition { file: string; from: number; to: number; class?: string }
export interface Hover { from: number; to: number; markdown: string }

// ---------------------------------------------------------------- diagrams

export interface CoordinateSystem { extent: Extent; preserveAspectRatio: boolean; grid: Point }

export interface Placement {
  extent: Extent;
  rotation: number;
  origin: Point;
  /** Where the middle of the extent comes to lie. */
  center: Point;
  flipX: boolean;
  flipY: boolean;
}

export interface ConnectorInfo {
  /** `p`, or `plugs[2]`. */
  name: string;
  class: string;
  /** Its middle in the coordinates of the diagram, relative to the component's `center` (for connectors of the class itself: the position). */
  at: Point;
  /** Half of its size there. */
  radius: number;
  /** The direction a line leaves in, as seen in the diagram. */
  side: "left" | "right" | "top" | "bottom";
  /** Two connectors fit when their keys are equal and `canConnect(a, b)` below says so. */
  type: string;
  causality: "none" | "input" | "output";
  /** Dimensions as written, e.g. `[3]`, or "". */
  dimensions: string;
  expandable: boolean;
  /** The colour of lines from it. */
  color: Color;
  /** It exists under a condition that does not hold now. */
  disabled: boolean;
}

export interface DiagramComponent {
  name: string;
  class: string;
  description: string;
  /** Dimensions as written, e.g. `[n]`, or "". */
  dimensions: string;
  /** From a base class: it can be looked at and given parameters, but not moved, renamed or deleted. */
  inherited: boolean;
  /** It does not exist with the present values of its condition. */
  disabled: boolean;
  isConnector: boolean;
  /** Causality as seen inside the class, of connectors of the class itself. */
  causality: "none" | "input" | "output";
  protected: boolean;
  replaceable: boolean;
  /** `null`: no placement; it is not in the picture, but listed. */
  placement: Placement | null;
  /** What is drawn, in its final size and turn, with the component's `center` at (0, 0). Absent in a change where it stays. */
  svg?: string;
  /** The box around it relative to `center`: [x, y, width, height], y up. */
  box: [number, number, number, number];
  /** Its connectors; of a connector of the class itself: one with the name "". */
  connectors: ConnectorInfo[];
  /** Where it is declared. */
  from: number;
  to: number;
}

export interface DiagramConnection {
  /** Stable within an answer and its changes: the two ends as written and, for equal ones, a number: `R.p C.n`, `R.p C.n#2`. */
  id: string;
  /** The ends as written. */
  a: string;
  b: string;
  /** Empty where it has no line: draw it straight and thin, from end to end. */
  points: Point[];
  color: Color;
  thickness: number;
  pattern: "Solid" | "Dash" | "Dot" | "DashDot" | "DashDotDot" | "None";
  arrows: ["None" | "Open" | "Filled" | "Half", "None" | "Open" | "Filled" | "Half"];
  smooth: boolean;
  inherited: boolean;
  disabled: boolean;
  from: number;
  to: number;
}

export interface Diagram {
  class: string;
  kind: ClassKind;
  file: string;
  version: number;
  editable: boolean;
  coordinates: CoordinateSystem;
  /** Graphics of the diagram layer, of bases and of the class, behind everything. */
  background: string;
  components: DiagramComponent[];
  connections: DiagramConnection[];
  /** Own parameters and variables without pictures. */
  variables: { name: string; class: string; description: string; value: string; unit: string; kind: "parameter" | "constant" | "variable"; from: number; to: number }[];
  milliseconds: number;
}

export interface IconLayer {
  class: string;
  coordinates: CoordinateSystem;
  /** Graphics of the icon layer. */
  background: string;
  /** Connectors of the class as they are placed in the icon. */
  components: DiagramComponent[];
  /** What the class draws itself, from the bottom to the top. */
  shapes: IconShape[];
}

export interface IconShape {
  kind: string;
  extent: Extent | null;
  points: Point[] | null;
  origin: Point;
  /** Degrees, around the origin. */
  rotation: number;
  line: Color | null;
  fill: Color | null;
  filled: boolean;
  text: string | null;
}

export interface DiagramChange {
  class: string;
  version: number;
  /** Changed or added ones, whole (without `svg` where that is the same as before). */
  components: DiagramComponent[];
  removedComponents: string[];
  connections: DiagramConnection[];
  removedConnections: string[];
  /** New background, where it changed. */
  background?: string;
}

// ---------------------------------------------------------------- edits

/**
 * One edit of a class. A list of them is one step of undo, and answered at once. Everything is written into the text in the smallest
 * piece: whatever is not meant stays byte for byte.
 */
export type Edit =
  /** Without a name the server finds one: from `defaultComponentName` of the class, or its name in lower case, with a number. */
  | { edit: "add"; type: string; name?: string; center?: Point; size?: Point; rotation?: number; layer?: "diagram" | "icon"; modifiers?: string }
  | { edit: "delete"; component: string } // with its connections
  | { edit: "rename"; component: string; name: string } // also in connections, equations and modifiers of the file
  | { edit: "duplicate"; component: string; by: Point; name?: string }
  | { edit: "move"; component: string; by: Point } // lines at it follow: their first and last pieces stay at right angles
  /** Any of them; what is not given stays. Degrees: 90 turns counter-clockwise. `flipX`: exchanges left and right. */
  | { edit: "place"; component: string; center?: Point; extent?: Extent; rotation?: number; flipX?: boolean; flipY?: boolean; layer?: "diagram" | "icon" }
  /** Shapes that the class draws in its icon itself, counted from 0: `shape` of a new one is its constructor. */
  | { edit: "draw"; shape: string }
  | { edit: "reshape"; shape: number; points: Point[] }
  | { edit: "restyle"; shape: number; attribute: string; value: string }
  | { edit: "erase"; shape: number }
  | { edit: "rotate"; component: string; by: number }
  | { edit: "flip"; component: string; axis: "x" | "y" } // x: left and right change places
  | { edit: "connect"; a: string; b: string; points?: Point[]; color?: Color } // without points the server routes at right angles
  | { edit: "disconnect"; connection: string }
  | { edit: "reroute"; connection: string; points: Point[] }
  /** A modifier of a component (`component: ""`: of the class, i.e. the binding of an own parameter, or a modifier of the base that has it). `path`: `R`, `u.start`. `value: null` takes it away. */
  | { edit: "set"; component: string; path: string; value: string | null; final?: boolean }
  | { edit: "redeclare"; component: string; name: string; type: string | null } // `redeclare package Medium = type`; null takes it away
  | { edit: "type"; component: string; type: string } // another class for a component
  | { edit: "description"; component: string; text: string } // "" takes it away; component "": of the class
  | { edit: "dimensions"; component: string; dimensions: string } // `[3]` or ""
  | { edit: "parameter"; name: string; type: string; value?: string; unit?: string; displayUnit?: string; description?: string; min?: string; max?: string; group?: string; tab?: string }
  | { edit: "experiment"; startTime?: number; stopTime?: number; tolerance?: number; interval?: number }
  | { edit: "equation"; text: string }; // appended to the equation section, e.g. `der(x) = -x`

// ---------------------------------------------------------------- parameter dialogs

export interface ParameterDialog {
  class: string;
  component: string;
  type: string;
  description: string;
  icon: string;
  /** In order; the first is the default one. */
  tabs: DialogTab[];
}
export interface DialogTab { name: string; groups: DialogGroup[] }
export interface DialogGroup { name: string; image?: string; entries: DialogEntry[] }

export interface DialogEntry {
  /** What to hand to `set`: `R`, `w.start`. */
  path: string;
  label: string;
  description: string;
  kind: "real" | "integer" | "boolean" | "string" | "enumeration" | "record" | "class" | "other";
  /** Dimensions as written, or "". */
  dimensions: string;
  /** What is written here; `null` where nothing is, so that `default` counts. */
  value: string | null;
  /** What counts without it: an expression, or "". */
  default: string;
  /** What it is worth now, where that is known: number, text. In the base unit. */
  worth: number | string | boolean | null;
  unit: string;
  displayUnit: string;
  /** Units to choose, the display unit first. The text has the base unit: entered value = (written - offset) / factor. */
  units: UnitChoice[];
  min: number | null;
  max: number | null;
  enabled: boolean;
  final: boolean;
  /** From `choices`, enumerations, or `choicesAllMatching`. */
  choices: { value: string; label: string }[];
  /** Draw Boolean as a check box. */
  checkBox: boolean;
  /** Of `kind: "class"`: the constraining class; the choices are those that fit. */
  constraint: string;
  /** A start value of a variable rather than a parameter (`showStartAttribute`). */
  start: boolean;
  /** Selects a file: `loadSelector`, `saveSelector`. */
  fileSelector?: { save: boolean; filter: string; caption: string };
  colorSelector: boolean;
  /** Members of a record, for a nested dialog. */
  entries?: DialogEntry[];
}

/** shown = base * factor + offset */
export interface UnitChoice { unit: string; label: string; factor: number; offset: number }
export function toDisplay(value: number, u: UnitChoice): number { return value * u.factor + u.offset; }
export function fromDisplay(shown: number, u: UnitChoice): number { return (shown - u.offset) / u.factor; }

// ---------------------------------------------------------------- runs

export interface RunSettings {
  start?: number; stop?: number; tolerance?: number; intervals?: number; interval?: number;
  /** `auto`, `bdf`, `radau`, …: see `methods`. */
  method?: string; step?: number; maxStep?: number;
  /** Values of parameters and start values, by variable: number, "true", text. */
  set?: Record<string, number | string | boolean>;
}

export interface RunInfo {
  run: number;
  class: string;
  /** What tells it from others: settings that differ from the model's. */
  label: string;
  state: "translating" | "running" | "done" | "failed" | "cancelled";
  start: number;
  stop: number;
  /** Where it is. */
  time: number;
  rows: number;
  settings: RunSettings;
  /** Of the translation and of the run, in seconds; `null` while it is not over. */
  seconds: { translate: number | null; run: number | null };
  statistics?: { steps: number; rejected: number; rhsEvaluations: number; jacobians: number; events: number };
  /** The run failed for want of it: answer, and start again. */
  permission?: PermissionRequest;
  diagnostics: Diagnostic[];
}

export interface ResultVariable {
  name: string;
  description: string;
  unit: string;
  displayUnit: string;
  units: UnitChoice[];
  kind: "constant" | "parameter" | "input" | "state" | "discrete" | "algebraic";
  type: "real" | "integer" | "boolean" | "string" | "enumeration" | "other";
  literals?: string[];
  /** It varies in the run; others have `value`. */
  varies: boolean;
  /** The value of a constant or parameter; of others the last one. */
  value: number | string | null;
  /** Of a state: what it starts at. */
  start: number | null;
  /** A slider can change it without translating. */
  tunable: boolean;
  /** A start value that a slider can change without translating. */
  tunableStart: boolean;
  min: number | null;
  max: number | null;
  protected: boolean;
}

export interface Columns {
  run: number;
  /** Of the run when this was answered: `rows` grows while it runs. */
  rows: number;
  time: number[];
  /** By name, `null` for what is not a number. Without thinning a value for each time; thinned, minimum and maximum of each piece are kept. */
  columns: Record<string, (number | null)[]>;
  /** Not every row is here. */
  thinned: boolean;
}

export interface PlotProposal {
  title: string;
  /** From `figures` annotations, or what varies. */
  source: "figures" | "interesting";
  caption: string;
  /** Meant to be seen first. */
  preferred: boolean;
  plots: { title: string; x: string; y: { name: string; legend: string; axis: number }[]; xLabel: string; yLabel: string; xUnit: string; yUnit: string; xRange: [number | null, number | null]; yRange: [number | null, number | null] }[];
}

/** Numbers are packed: single precision, least significant byte first, Base64. One row for each time, or one for all. */
export interface Scene {
  title: string;
  time: string;
  up: [number, number, number];
  shapes: { name: string; kind: string; position: string; rotation: string; size: string; color: string; /** Of a shape from a file: which one of `meshes`; its size scales it where `extra` (the fourth number of `size`) is 1. */ mesh?: number }[];
  /** Shapes from files: corners of triangles, nine numbers each. */
  meshes: string[];
  signals: { name: string; unit: string; values: string }[];
}

export interface DiagramValues {
  run: number;
  time: number;
  /** Name to text with display unit, e.g. `C.v` -> `3.21 V`: of connectors and parameters of the components. */
  components: Record<string, { name: string; text: string }[]>;
  /** Components whose picture changes with the result (`DynamicSelect`): fragments as in the diagram. */
  svg: Record<string, string>;
}

// ---------------------------------------------------------------- why, linearisation, sweeps

export interface EquationInfo {
  text: string;
  component: string;
  file?: string; from?: number; to?: number; line?: number;
  /** What became of it: `alias`, `solved for x`, `in loop 2`, … */
  fate: string;
}
export interface Explanation {
  class: string;
  unknowns: number;
  equations: number;
  states: { name: string; reason: string; component: string }[];
  loops: { section: string; kind: string; size: number; torn: number; iterationVariables: string[]; equations: EquationInfo[]; components: string[]; reason: string }[];
  /** There is no program: `diagnostics` say which parts have no unique solution, or what is wrong before that. */
  failed: boolean;
  diagnostics: Diagnostic[];
  /** The whole page, self-contained: show it in a sandboxed frame. */
  page: string;
  text: string;
}

export interface Linearized {
  states: string[]; inputs: string[]; outputs: string[];
  a: number[][]; b: number[][]; c: number[][]; d: number[][];
  poles: { re: number; im: number; frequency: number; damping: number }[];
  bode: { input: string; output: string; frequency: number[]; magnitude: number[]; phase: number[] }[];
}

export interface Swept {
  columns: string[];
  rows: (number | null)[][];
  /** Curves of each run, on its own times. */
  curves: { values: Record<string, number>; time: number[]; columns: Record<string, (number | null)[]> }[];
}

// ---------------------------------------------------------------- all calls

export interface Calls {
  "session": { request: Record<string, never>; response: SessionInfo };
  "state.save": { request: { state: unknown }; response: Record<string, never> };
  "folder.open": { request: { folder: string }; response: { roots: TreeNode[]; folders: string[] } };
  "permission.answer": { request: { id: string; allow: boolean }; response: Record<string, never> };

  "tree": { request: { class: string }; response: { children: TreeNode[] } };
  /** Words of the name in any order, capitals as initials; at most `limit` (50), best first. */
  "search": { request: { query: string; limit?: number; kinds?: ClassKind[] }; response: { found: TreeNode[] } };
  /** Many at once. */
  "icons": { request: { classes: string[] }; response: { icons: IconAnswer[] } };
  "documentation": { request: { class: string }; response: Documentation };
  "usage": { request: { class: string }; response: { usage: Usage[] } };

  /** A new class in a file of its own in `home` (or within a package that can be changed); it is in memory until it is saved. */
  "class.new": { request: { name: string; kind?: ClassKind; within?: string; description?: string; extends?: string }; response: { class: string; file: string } };
  /** The file of a class. */
  "class.file": { request: { class: string }; response: { file: string; from: number; to: number } };

  "text": { request: { file?: string; class?: string }; response: TextFile };
  /** Typed changes; `conflict` where `version` is not the newest. Adjacent ones become one step of undo. */
  "text.change": { request: { file: string; version: number; changes: TextChange[]; class?: string }; response: Edited };
  /** `changed-on-disk` where another program wrote the file meanwhile, unless `overwrite` says that it may be lost. */
  "text.save": { request: { file: string; overwrite?: boolean }; response: { version: number } };
  "text.revert": { request: { file: string }; response: TextFile };
  "undo": { request: { file: string; class?: string }; response: Edited };
  "redo": { request: { file: string; class?: string }; response: Edited };
  "completion": { request: { file: string; offset: number }; response: { items: CompletionItem[] } };
  "definition": { request: { file: string; offset: number }; response: { found: Definition | null } };
  "hover": { request: { file: string; offset: number }; response: { found: Hover | null } };
  "format": { request: { file: string; version: number; class?: string }; response: Edited };

  "diagram": { request: { class: string }; response: Diagram };
  "icon.layer": { request: { class: string }; response: IconLayer };
  /** Preview of a class that is dragged from the tree: as a component with its default size. */
  "preview": { request: { class: string }; response: DiagramComponent };
  "edit": { request: { class: string; edits: Edit[]; version?: number }; response: Edited };
  "parameters": { request: { class: string; component: string }; response: ParameterDialog };
  /** Classes that can take the place of a replaceable one (choicesAllMatching): may take a second for large libraries. */
  "matching": { request: { class: string; component: string; name: string }; response: { choices: { value: string; label: string }[] } };

  /** Everything there is to say about a class now, flattened and translated: what `kausal check` says. Live diagnostics come by events. */
  "check": { request: { class: string }; response: { diagnostics: Diagnostic[]; equations: number; unknowns: number; balanced: boolean } };

  "methods": { request: Record<string, never>; response: { methods: string[] } };
  /** Of the `experiment` annotation. */
  "experiment": { request: { class: string }; response: { start: number; stop: number; tolerance: number; interval: number | null } };
  /** Returns at once; progress comes by events, columns by `columns`. */
  "run.start": { request: { class: string; settings: RunSettings }; response: RunInfo };
  "run.cancel": { request: { run: number }; response: RunInfo };
  "run.info": { request: { run: number }; response: RunInfo };
  "run.list": { request: Record<string, never>; response: { runs: RunInfo[] } };
  "run.forget": { request: { run: number }; response: Record<string, never> };
  "run.rename": { request: { run: number; label: string }; response: RunInfo };
  "variables": { request: { run: number }; response: { variables: ResultVariable[] } };
  /** `from`: rows before it are not wanted. At most `points` times (2,000). `range`: only this part of the time. */
  "columns": { request: { run: number; names: string[]; from?: number; points?: number; range?: [number, number] }; response: Columns };
  /**
   * Runs again with other values and answers with columns when it is done (milliseconds where nothing needs a translation). The run with the
   * number `run` gets the new results (its number stays). A newer `slide` of the same run cancels an older one, which answers `cancelled: true`.
   */
  "slide": { request: { run: number; set: Record<string, number | string | boolean>; names: string[]; points?: number }; response: { columns: Columns; info: RunInfo; translated: boolean; cancelled: boolean; milliseconds: number } };
  "plots": { request: { run: number }; response: { proposals: PlotProposal[] } };
  "values": { request: { run: number; time: number }; response: DiagramValues };
  "scene": { request: { run: number }; response: Scene };
  /** Text of a CSV file. */
  "csv": { request: { run: number; names?: string[] }; response: { csv: string } };
  "fft": { request: { run: number; name: string; range?: [number, number] }; response: { frequency: number[]; amplitude: number[] } };

  "explain": { request: { class: string }; response: Explanation };
  "explain.component": { request: { class: string; component: string }; response: { equations: EquationInfo[]; variables: string[] } };
  "linearize": { request: { class: string; at?: number; inputs?: string[]; outputs?: string[] }; response: Linearized };
  "sweep": { request: { class: string; vary: Record<string, { from: number; to: number; count: number }>; names: string[]; settings?: RunSettings }; response: Swept };
}

/** Lines of `POST /api/events` `{}`; the stream stays open. After `lost` ask for everything anew. */
export type Event =
  | { event: "hello" }
  | { event: "lost" }
  /** Replaces what was said about this file before. `version` is the one that was looked at. */
  | { event: "diagnostics"; file: string; version: number; diagnostics: Diagnostic[] }
  /** State, time, rows; about 20 times a second while a run is under way. */
  | { event: "run"; run: RunInfo }
  /** Classes came, went or changed: icons and trees may differ. "" for everything. */
  | { event: "classes"; class: string }
  /** A file changed on the disk and was read again. */
  | { event: "file"; file: string; version: number };

/** Do two connectors fit? One of them may be a connector of the class itself (`own`), whose causality is seen from inside. */
export function canConnect(a: ConnectorInfo, aOwn: boolean, b: ConnectorInfo, bOwn: boolean): boolean {
  if (a.expandable || b.expandable) return true;
  if (a.type !== b.type) return false;
  const source = (c: ConnectorInfo, own: boolean) =>
    c.causality === "none" ? 0 : (c.causality === "output") !== own ? 1 : -1;
  return source(a, aOwn) + source(b, bOwn) === 0 || (source(a, aOwn) === 0 && source(b, bOwn) === 0);
}

export class CallFailed extends Error {
  constructor(readonly status: number, readonly error: ApiError) { super(error.message); }
}

const token = (): string => new URLSearchParams(location.hash.slice(1)).get("token") ?? sessionStorage.getItem("kausal-token") ?? "";

/** Calls the server. */
export async function call<N extends keyof Calls>(name: N, request: Calls[N]["request"], signal?: AbortSignal): Promise<Calls[N]["response"]> {
  const init: RequestInit = {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Kausal-Token": token() },
    body: JSON.stringify(request),
  };
  if (signal) init.signal = signal;
  const answer = await fetch(`/api/${name}`, init);
  const data = await answer.json();
  if (!answer.ok) throw new CallFailed(answer.status, data as ApiError);
  return data as Calls[N]["response"];
}

/** Listens to the server until `signal` ends it; returns when the stream ends. */
export async function events(heard: (event: Event) => void, signal: AbortSignal): Promise<void> {
  const answer = await fetch("/api/events", { method: "POST", headers: { "Content-Type": "application/json", "X-Kausal-Token": token() }, body: "{}", signal });
  if (!answer.ok || !answer.body) throw new CallFailed(answer.status, (await answer.json()) as ApiError);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line) heard(JSON.parse(line) as Event);
  }
}

/** Numbers of a `Scene`. */
export function unpack(packed: string): Float32Array {
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}
