import { use } from 'react';
import { m } from '../../messages/index.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Field } from '../../ui/field.tsx';
import { Glyph } from '../../ui/glyph.tsx';
import { Note } from '../../ui/note.tsx';
import { PersonsTimes } from '../../ui/time.tsx';
import { scheduleBeside } from '../../ui/times.ts';
import { textFault } from '../check-editor/name-fields.tsx';
import type { Choices } from '../check-editor/settings.ts';
import type { Job, Line } from './crontab.tsx';

const t = m.crontab;

/** The check that becomes of a job, as the person wants it. */
export interface Draft {
  readonly name: string;
  readonly slug: string;
  readonly isAdded: boolean;
}

interface Shared {
  readonly zone: string;
  readonly takenBy: (slug: string, index: number) => string | null;
  readonly limits: Choices['limits'];
  readonly onChange: (index: number, change: Partial<Draft>) => void;
}

/** Every line with its meaning, so that none is lost unseen. */
export function LineList({
  lines,
  drafts,
  ...shared
}: Shared & {
  readonly lines: readonly Line[];
  /** By the index of the line. */
  readonly drafts: ReadonlyMap<number, Draft>;
}) {
  return (
    <section aria-label={t.lines} className="rounded-card border border-line">
      <h2 className="px-4 pt-3 pb-2 text-14">{t.lines}</h2>
      <ol>
        {lines.map(({ text, meaning }, index) => {
          const draft = drafts.get(index);
          return (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: the line is the one at that place
              key={index}
              className="grid grid-cols-[28px_minmax(0,1fr)] gap-x-2 border-t border-line px-4 py-2.5 text-12"
            >
              <span className="text-right text-ink-3 tabular-nums">{index + 1}</span>
              <div className="grid min-w-0 gap-1.5">
                {text.trim() !== '' && <code className="[overflow-wrap:anywhere]">{text}</code>}
                {meaning.is !== 'job' ? (
                  <Meaning meaning={meaning} />
                ) : (
                  draft !== undefined && <JobFields {...shared} index={index} job={meaning} draft={draft} />
                )}
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function Meaning({ meaning }: { readonly meaning: Exclude<Line['meaning'], Job> }) {
  if (meaning.is === 'broken')
    return (
      <p className="flex items-start gap-1.5 text-down">
        <Glyph shape="down" className="mt-0.5 size-3" />
        {t.broken(meaning.reason)}
      </p>
    );
  return (
    <p className="text-ink-3">{meaning.is === 'zone' ? t.zoneLine(meaning.tz) : t.meanings[meaning.is]}</p>
  );
}

function JobFields({
  index,
  job,
  draft,
  zone,
  takenBy,
  limits,
  onChange,
}: Shared & { readonly index: number; readonly job: Job; readonly draft: Draft }) {
  const style = use(PersonsTimes);
  const line = index + 1;
  const { name, slug, isAdded } = draft;
  const taken = takenBy(slug, index);
  const words = isAdded ? scheduleBeside(job.words, job.tz ?? zone, style) : t.leftOut;
  return (
    <>
      <Checkbox
        aria-label={t.add(line, words)}
        label={words}
        checked={isAdded}
        onChange={(event) => onChange(index, { isAdded: event.target.checked })}
      />
      {isAdded && (
        <div className="grid max-w-[640px] grid-cols-2 gap-3 max-md:grid-cols-1">
          <Field
            label={t.nameHead}
            aria-label={t.name(line)}
            value={name}
            autoComplete="off"
            error={textFault('name', draft, limits)}
            onChange={(event) => onChange(index, { name: event.target.value })}
          />
          <Field
            label={t.slugHead}
            aria-label={t.slug(line)}
            value={slug}
            spellCheck={false}
            autoComplete="off"
            className="font-mono"
            error={textFault('slug', draft, limits)}
            onChange={(event) => onChange(index, { slug: event.target.value })}
          />
          {taken !== null && (
            <div className="col-span-full">
              <Note kind="late">{t.taken(taken)}</Note>
            </div>
          )}
        </div>
      )}
    </>
  );
}
