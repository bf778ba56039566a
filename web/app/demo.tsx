import { Outlet } from '@tanstack/react-router';
import { m } from '../messages/index.ts';

/** The key with which programs can read the demonstration. Null: this is none. */
export const DEMO_KEY = document.querySelector<HTMLMetaElement>('meta[name="tocsin-demo"]')?.content ?? null;

/** Every page of a demonstration, below a line that says so. */
export function DemoPage() {
  return (
    // The frame of pages is as high as the screen without the line.
    <div className="md:[--above:28px]">
      <aside
        aria-label={m.demo.name}
        className="flex flex-wrap items-center justify-center gap-x-4 gap-y-0.5 bg-ink px-4 py-1.5 text-12 leading-4 text-surface"
      >
        <span>{m.demo.line}</span>
        <span>
          {m.demo.key} <code className="wrap-anywhere select-all">{DEMO_KEY}</code>
        </span>
      </aside>
      <Outlet />
    </div>
  );
}
