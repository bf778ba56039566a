import { type ReactNode, useState } from 'react';
import { m } from '../../messages/index.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Glyph } from '../../ui/glyph.tsx';

const t = m.checks.legend;

/** A mark with its meaning. The marks have the classes of the pictures that they explain. */
function Entry({ mark, children }: { readonly mark: ReactNode; readonly children: ReactNode }) {
  return (
    <li className="legend__entry">
      <span aria-hidden="true" className="legend__mark">
        {mark}
      </span>
      {children}
    </li>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h3 className="pb-1 text-12 font-medium text-ink-3">{title}</h3>
      <ul className="grid gap-1.5 text-14">{children}</ul>
    </section>
  );
}

/** Tells on demand what the marks of the list and of the picture above it mean. */
export function Legend() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" className="legend-button" onClick={() => setIsOpen(true)}>
        {t.open}
      </button>
      {isOpen && (
        <Dialog title={t.title} onClose={() => setIsOpen(false)}>
          <div className="grid gap-4">
            <Part title={t.troubles}>
              <Entry mark={<Glyph shape="down" className="size-3.5" />}>{t.down}</Entry>
              <Entry mark={<Glyph shape="late" className="size-3.5" />}>{t.late}</Entry>
              <Entry mark={<Glyph shape="running" className="size-3.5" />}>{t.slow}</Entry>
              <Entry mark={<i className="legend__diamond" />}>{t.goesDown}</Entry>
            </Part>
            <Part title={t.bars}>
              <Entry mark={<i className="legend__bar legend__bar-ran" />}>{t.ran}</Entry>
              <Entry mark={<i className="legend__bar legend__bar-failed" />}>{t.failed}</Entry>
              <Entry mark={<i className="legend__bar legend__bar-missed" />}>{t.missed}</Entry>
              <Entry mark={<i className="legend__bar legend__bar-late" />}>{t.ranLate}</Entry>
              <Entry mark={<i className="legend__bar legend__bar-expected" />}>{t.expected}</Entry>
              <Entry mark={<i className="legend__dashes" />}>{t.noRun}</Entry>
              <Entry mark={<i className="legend__outage" />}>{t.outage}</Entry>
            </Part>
            <Part title={t.integrations}>
              <Entry mark={<span className="tile" />}>{t.assigned}</Entry>
              <Entry mark={<span className="tile tile-off" />}>{t.notAssigned}</Entry>
              <Entry mark={<span className="tile tile-failed" />}>{t.failedToTell}</Entry>
            </Part>
          </div>
        </Dialog>
      )}
    </>
  );
}
