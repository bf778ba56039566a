import { useState } from 'react';
import { PINGED, type Pinged, withPing } from '../../../src/domain/schedule/crontab-command.ts';
import { m } from '../../messages/index.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-field.tsx';
import { Segments } from '../../ui/segments.tsx';
import type { Line } from './crontab.tsx';

const t = m.crontab;

/** The crontab to paste back: jobs with their pings, and all other lines as they were. */
export function ChangedCrontab({
  project,
  lines,
  urls,
}: {
  readonly project: string;
  readonly lines: readonly Line[];
  /** Addresses by the index of the line. */
  readonly urls: ReadonlyMap<number, string>;
}) {
  const [pinged, setPinged] = useState<Pinged>('status');
  const changed = lines
    .map(({ text, end, meaning }, index) => {
      const url = urls.get(index);
      const isJob = meaning.is === 'job' && url !== undefined;
      return (isJob ? meaning.lead + withPing(meaning.command, url, pinged) : text) + end;
    })
    .join('');
  return (
    <>
      <div role="status">
        <h1 className="text-26 tracking-[-.022em] max-md:text-20">{t.added(urls.size)}</h1>
        <p className="max-w-[64ch] text-14 text-ink-2">{t.changedLead}</p>
      </div>
      <div className="grid gap-1.5">
        <div>
          <Segments
            label={t.styleLabel}
            choices={PINGED.map((value) => ({ value, label: t.styles[value] }))}
            value={pinged}
            onChange={setPinged}
          />
        </div>
        <p className="text-12 text-ink-3">{t.styleLeads[pinged]}</p>
      </div>
      {/* What scrolls must be reached by the keyboard, and has a name. */}
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        tabIndex={0}
        aria-label={t.changed}
        className="max-h-[60vh] overflow-auto rounded-control border border-line-2 bg-sunken p-3"
      >
        <pre className="text-12">{changed}</pre>
      </section>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={changed} label={t.copy} kind="primary" size="large" />
        <ButtonLink size="large" to="/projects/$project/checks/" params={{ project }}>
          {t.toList}
        </ButtonLink>
      </div>
    </>
  );
}
