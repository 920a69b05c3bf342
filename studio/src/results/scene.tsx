// 3D beside the plots; three.js is loaded when it is first shown.

import { effect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../api";
import { isDark } from "../state";
import { Glyph, Tool } from "../widgets";
import { current, now } from "./runs";
import type { Stage } from "./stage";

/** The time as a slider and in words: all of the panel that changes with each frame. */
function Clock({ start, stop, touched }: { start: number; stop: number; touched: () => void }): JSX.Element {
  const t = Number.isNaN(now.value) ? start : now.value;
  return (
    <>
      <input type="range" aria-label="Time" min={start} max={stop} step={(stop - start) / 1000 || "any"} value={t} onInput={(e) => { touched(); now.value = Number(e.currentTarget.value); }} />
      <span class="clock">{t.toFixed(3)} s</span>
    </>
  );
}

export function ScenePane(): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const stage = useRef<Stage | null>(null);
  const [message, setMessage] = useState("");
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  const [follow, setFollow] = useState("");
  const [traces, setTraces] = useState(false);
  const [names, setNames] = useState<string[]>([]);
  const run = current.value;
  const age = run?.age.value ?? 0;
  const number = run?.number ?? 0;
  const rows = run?.info.value.rows ?? 0;
  const state = run?.info.value.state;
  useEffect(() => {
    let gone = false;
    let stop = (): void => undefined;
    void (async () => {
      if (!run || !rows || state === "running" || state === "translating") return setMessage(run ? "The picture appears when the run is done." : "Run a model to see it move.");
      try {
        const data = await call("scene", { run: number });
        if (gone || !host.current) return;
        if (!data.shapes.length) {
          stage.current?.dispose();
          stage.current = null;
          return setMessage("This model has no shapes.");
        }
        setMessage("");
        const { Stage: Make } = await import("./stage");
        if (gone || !host.current) return;
        const kept = stage.current;
        if (kept) kept.load(data);
        else stage.current = new Make(host.current, data);
        const s = stage.current!;
        setNames(s.moving());
        s.onTime = (t) => { now.value = t; };
        s.onEnd = () => setPlaying(false);
        stop = effect(() => {
          s.dark(isDark.value);
          s.show(Number.isNaN(now.value) ? s.start : now.value);
        });
      } catch (error) {
        if (gone) return;
        // Shapes of another model are not those of this one.
        stage.current?.dispose();
        stage.current = null;
        setMessage(error instanceof Error ? error.message : String(error));
      }
    })();
    return () => { gone = true; stop(); };
  }, [number, age, state]);
  useEffect(() => () => { stage.current?.dispose(); stage.current = null; }, []);
  useEffect(() => { if (stage.current) stage.current.speed = speed; }, [speed, names]);
  useEffect(() => { stage.current?.follow(follow); }, [follow, names]);
  useEffect(() => { stage.current?.trace(traces); }, [traces, names]);
  useEffect(() => { stage.current?.play(playing); }, [playing, names]);
  const info = run?.info.value;
  // Read where it is needed only: who reads the time while rendering is rendered for each frame.
  const time = (): number => (Number.isNaN(now.peek()) ? info?.start ?? 0 : now.peek());
  return (
    <div class="grow" style="display:flex;flex-direction:column" tabIndex={-1} onKeyDown={(e) => {
      if ((e.target as Element).matches("input,select,button")) return;
      if (e.key === " ") setPlaying(!playing);
      else if ((e.key === "ArrowRight" || e.key === "ArrowLeft") && info) now.value = Math.min(Math.max(time() + ((e.key === "ArrowRight" ? 1 : -1) * (info.stop - info.start)) / 200, info.start), info.stop);
      else return;
      e.preventDefault();
      e.stopPropagation();
    }}>
      <div class="scene3d" ref={host} data-testid="scene" tabIndex={0} aria-label="Animation">{message ? <p class="empty" style="position:absolute">{message}</p> : null}</div>
      {info && !message ? (
        <div class="player">
          <button type="button" class="tool" aria-label={playing ? "Pause" : "Play"} title={playing ? "Pause (Space)" : "Play (Space)"} onClick={() => { if (!playing && time() >= info.stop) now.value = info.start; setPlaying(!playing); }}><Glyph name={playing ? "pause" : "play"} /></button>
          <Clock start={info.start} stop={info.stop} touched={() => setPlaying(false)} />
          <select class="field small" aria-label="Speed" value={speed} onChange={(e) => setSpeed(Number(e.currentTarget.value))}>{[0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10].map((v) => <option value={v}>{v}×</option>)}</select>
          <select class="field small" aria-label="Follow" value={follow} onChange={(e) => setFollow(e.currentTarget.value)}><option value="">Camera fixed</option>{names.map((n) => <option value={n}>follow {n}</option>)}</select>
          <label class="inline"><input type="checkbox" checked={traces} onChange={(e) => setTraces(e.currentTarget.checked)} />Traces</label>
          <Tool glyph="fit" title="Fit" onClick={() => stage.current?.fit()} />
        </div>
      ) : null}
    </div>
  );
}
