// Values at the time of the cursor, for the diagram.

import { effect, signal, type Signal } from "@preact/signals";
import { call, type DiagramValues } from "../api";
import { current, now } from "./runs";

export const valuesAt: Signal<{ class: string; values: DiagramValues } | null> = signal(null);
let flying = false;
let again = false;

async function ask(): Promise<void> {
  const run = current.peek();
  const time = now.peek();
  if (!run || Number.isNaN(time) || run.info.peek().rows === 0) {
    valuesAt.value = null;
    return;
  }
  if (flying) {
    again = true;
    return;
  }
  flying = true;
  try {
    const values = await call("values", { run: run.number, time });
    valuesAt.value = { class: run.info.peek().class, values };
  } catch {
    valuesAt.value = null;
  } finally {
    flying = false;
    if (again) {
      again = false;
      setTimeout(() => void ask(), 30);
    }
  }
}

effect(() => {
  now.value;
  current.value?.age.value;
  void ask();
});
