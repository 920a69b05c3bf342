// Short notices at the lower edge, and the place where failures of calls arrive.

import { signal } from "@preact/signals";
import { CallFailed, call, type PermissionRequest } from "./api";

export const notice = signal("");
let timer = 0;

export function toast(text: string): void {
  notice.value = text;
  clearTimeout(timer);
  timer = window.setTimeout(() => (notice.value = ""), 2500 + 40 * text.length);
}

export const permission = signal<PermissionRequest | null>(null);

let retry: (() => void) | null = null;

/** `again` is done when a question that comes with the failure is answered with yes. */
export function report(error: unknown, again?: () => void): void {
  if (error instanceof DOMException && error.name === "AbortError") return;
  if (error instanceof CallFailed) {
    if (error.error.permission) {
      permission.value = error.error.permission;
      retry = again ?? null;
      return;
    }
    const first = error.error.diagnostics?.[0];
    toast(first ? first.message : error.error.help ? `${error.error.message} ${error.error.help}` : error.error.message);
    return;
  }
  if (error instanceof TypeError) toast("The program does not answer. Is kausal studio still running?");
  else toast(error instanceof Error ? error.message : String(error));
}

export async function answerPermission(allow: boolean): Promise<void> {
  const asked = permission.value;
  permission.value = null;
  const again = retry;
  retry = null;
  if (!asked) return;
  try {
    await call("permission.answer", { id: asked.id, allow });
    if (allow) again?.();
  } catch (error) {
    report(error);
  }
}

/** A question with a line of text as the answer; `null` where it was cancelled. */
export const question = signal<{ title: string; value: string; choices?: string[]; answer: (text: string | null) => void } | null>(null);

export function ask(title: string, value = ""): Promise<string | null> {
  return new Promise((done) => {
    question.value = { title, value, answer: (text) => { question.value = null; done(text); } };
  });
}

/** A question with answers to choose from. */
export function choose(title: string, choices: string[]): Promise<string | null> {
  return new Promise((done) => {
    question.value = { title, value: "", choices, answer: (text) => { question.value = null; done(text); } };
  });
}
