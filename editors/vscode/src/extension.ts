// The extension: it starts the language server, and runs the command line program where a command asks for it.

import * as path from "path";
import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

function settings(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration("kausal");
}

function program(): string {
  return settings().get<string>("path", "kausal");
}

/** The folders with libraries, as arguments. */
function libraries(): string[] {
  const root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const given = settings().get<string[]>("libraries", []);
  const folders = root === undefined ? given : [root, ...given];
  return folders.flatMap((folder) => ["--library", folder]);
}

async function start(): Promise<void> {
  const given = settings().get<string[]>("libraries", []);
  const server: ServerOptions = {
    command: program(),
    args: ["lsp", ...given.flatMap((folder) => ["--library", folder])],
  };
  const options: LanguageClientOptions = {
    documentSelector: [{ scheme: "file", language: "modelica" }],
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.mo") },
    initializationOptions: { libraries: given },
  };
  client = new LanguageClient("kausal", "Kausal", server, options);
  await client.start();
}

async function stop(): Promise<void> {
  await client?.stop();
  client = undefined;
}

/** The class a command is about: given by a lens, or the first model of the text that is edited. */
function target(uri?: string, name?: string): { file: string; name: string } | undefined {
  if (uri !== undefined && name !== undefined) {
    return { file: vscode.Uri.parse(uri).fsPath, name };
  }
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== "modelica") {
    void vscode.window.showErrorMessage("Open a Modelica file first.");
    return undefined;
  }
  const text = document.getText();
  const within = /^\s*within\s+([\w.]+)\s*;/m.exec(text)?.[1];
  const last = [...text.matchAll(/^\s*(?:model|block|class|package)\s+(\w+)/gm)].at(0)?.[1];
  if (last === undefined) {
    void vscode.window.showErrorMessage("There is no model in this file.");
    return undefined;
  }
  return { file: document.uri.fsPath, name: within === undefined ? last : `${within}.${last}` };
}

/** What stands behind `kausal COMMAND` to name a class of a file. */
function model(file: string, name: string): string[] {
  const isPackaged = name.includes(".");
  return isPackaged ? [name, ...libraries()] : [file, "--model", name, ...libraries()];
}

/** Runs a command as a task, so that its errors become problems. */
async function run(title: string, args: string[]): Promise<boolean> {
  await vscode.workspace.saveAll(false);
  const task = new vscode.Task(
    { type: "kausal", command: args[0], model: args[1] },
    vscode.TaskScope.Workspace,
    title,
    "kausal",
    new vscode.ProcessExecution(program(), args),
    "$kausal",
  );
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Silent, clear: true };
  const execution = await vscode.tasks.executeTask(task);
  return new Promise((resolve) => {
    const listener = vscode.tasks.onDidEndTaskProcess((event) => {
      if (event.execution === execution) {
        listener.dispose();
        resolve(event.exitCode === 0);
      }
    });
  });
}

/** A file for results, outside of the workspace. */
async function result(context: vscode.ExtensionContext, name: string, extension: string): Promise<string> {
  const folder = context.storageUri ?? context.globalStorageUri;
  await vscode.workspace.fs.createDirectory(folder);
  return path.join(folder.fsPath, `${name}.${extension}`);
}

/** Shows a page that kausal wrote beside the text. */
async function show(title: string, file: string): Promise<void> {
  const page = Buffer.from(await vscode.workspace.fs.readFile(vscode.Uri.file(file))).toString("utf8");
  const panel = vscode.window.createWebviewPanel("kausal", title, vscode.ViewColumn.Beside, { enableScripts: true });
  panel.webview.html = page;
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const command = (id: string, f: (uri?: string, name?: string) => Promise<unknown>): void => {
    context.subscriptions.push(vscode.commands.registerCommand(id, f));
  };
  const simulate = async (uri?: string, name?: string): Promise<void> => {
    const about = target(uri, name);
    if (about === undefined) return;
    const page = await result(context, about.name, "html");
    const more = settings().get<string[]>("simulateArguments", []);
    if (await run(`Simulate ${about.name}`, ["simulate", ...model(about.file, about.name), "--plot-file", page, ...more])) {
      await show(about.name, page);
    }
  };
  command("kausal.simulate", simulate);
  command("kausal.animate", async (uri, name) => {
    const about = target(uri, name);
    if (about === undefined) return;
    const page = await result(context, `${about.name}-animation`, "html");
    const more = settings().get<string[]>("simulateArguments", []);
    if (await run(`Animate ${about.name}`, ["simulate", ...model(about.file, about.name), "--animate", page, ...more])) {
      await show(`${about.name}: animation`, page);
    }
  });
  command("kausal.plot", async () => {
    const files = await vscode.window.showOpenDialog({ filters: { Results: ["csv", "mat", "parquet"] } });
    const file = files?.[0]?.fsPath;
    if (file === undefined) return;
    const page = await result(context, path.basename(file), "html");
    if (await run(`Plot ${path.basename(file)}`, ["plot", file, "--plot-file", page])) {
      await show(path.basename(file), page);
    }
  });
  command("kausal.explain", async (uri, name) => {
    const about = target(uri, name);
    if (about === undefined) return;
    const page = await result(context, `${about.name}-report`, "html");
    if (await run(`Explain ${about.name}`, ["explain", ...model(about.file, about.name), "--html", page])) {
      await show(`${about.name}: report`, page);
    }
  });
  command("kausal.draw", async (uri, name) => {
    const about = target(uri, name);
    if (about === undefined) return;
    const picture = await result(context, about.name, "svg");
    if (await run(`Draw ${about.name}`, ["draw", ...model(about.file, about.name), "-o", picture])) {
      await show(`${about.name}: diagram`, picture);
    }
  });
  command("kausal.check", async (uri, name) => {
    const about = target(uri, name);
    if (about !== undefined) await run(`Check ${about.name}`, ["check", ...model(about.file, about.name)]);
  });
  command("kausal.exportFmu", async (uri, name) => {
    const about = target(uri, name);
    if (about === undefined) return;
    const file = await vscode.window.showSaveDialog({ filters: { FMU: ["fmu"] } });
    if (file !== undefined) {
      await run(`Export ${about.name}`, ["export", ...model(about.file, about.name), "-o", file.fsPath]);
    }
  });
  command("kausal.restart", async () => {
    await stop();
    await start();
  });
  context.subscriptions.push(
    vscode.tasks.registerTaskProvider("kausal", {
      provideTasks: () => [],
      resolveTask: (task) => {
        const { command, model, arguments: more } = task.definition as unknown as {
          command: string;
          model: string;
          arguments?: string[];
        };
        const execution = new vscode.ProcessExecution(program(), [command, model, ...libraries(), ...(more ?? [])]);
        return new vscode.Task(task.definition, vscode.TaskScope.Workspace, `${command} ${model}`, "kausal", execution, "$kausal");
      },
    }),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("kausal.path") || event.affectsConfiguration("kausal.libraries")) {
        await stop();
        await start();
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await stop();
}
