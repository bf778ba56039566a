import { useQueries } from '@tanstack/react-query';
import { query } from '../../app/read.ts';
import type { OwnProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Glyph } from '../../ui/glyph.tsx';
import { Sentence } from '../../ui/sentence.tsx';
import { ZoneNote } from '../../ui/zone-note.tsx';
import { calmWords, sinceOver, sinceParts } from '../checks/answer-words.ts';
import { type Totals, TROUBLES } from '../checks/view.ts';
import { MAX_PULSES } from './heads.ts';

const t = m.projects;

const COLOURS = { down: 'text-down', late: 'text-late', never_came: 'text-late', slow: '' } as const;

/** Whether anything is wrong anywhere, and since when. */
export function Answer({ projects }: { readonly projects: readonly OwnProject[] }) {
  const heads = useQueries({
    queries: projects.slice(0, MAX_PULSES).map(({ uuid }) => query.checkHead({ project: uuid })),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  });
  const sum = (count: (project: OwnProject) => number) =>
    projects.reduce((total, project) => total + count(project), 0);
  const slow = heads.reduce((total, { counts }) => total + counts.slow, 0);
  const neverCame = heads.reduce((total, { counts }) => total + counts.neverCame, 0);
  const totals = {
    down: sum(({ checks }) => checks.down),
    late: sum(({ checks }) => checks.late),
    never_came: neverCame,
    slow,
    fine: Math.max(0, sum(({ checks }) => checks.up) - slow),
    paused: sum(({ checks }) => checks.paused),
    waiting: 0,
    // How many of them have run before is not known here.
    ready: sum(({ checks }) => checks.new) - neverCame,
  };
  const since = sinceOver(heads.flatMap((head) => head.since));
  return (
    <section className="px-5 pt-4 max-md:px-4">
      <Headline totals={totals} />
      <p className="min-h-5.5 text-14 text-ink-2">
        {t.inProjects(projects.length)} <Sentence parts={sinceParts(since)} /> <ZoneNote />
      </p>
    </section>
  );
}

function Headline({ totals }: { readonly totals: Totals }) {
  const troubles = TROUBLES.filter((kind) => totals[kind] > 0);
  const look =
    'flex flex-wrap items-baseline gap-x-[.32em] text-26 tracking-[-.022em] max-md:text-[22px] max-md:leading-7';
  if (troubles.length > 0)
    return (
      <h1 className={look}>
        {troubles.map((kind, place) => (
          <span key={kind} className={COLOURS[kind]}>
            {t.answer[kind](totals[kind])}
            {place === troubles.length - 1 ? '.' : ','}
          </span>
        ))}
        <Calm words={calmWords(totals)} />
      </h1>
    );
  const rest = calmWords({ ...totals, fine: 0 });
  if (totals.fine === 0) return <h1 className={look}>{rest || t.answer.nothing}</h1>;
  return (
    <h1 className={look}>
      <Glyph shape="up" className="size-6 self-center" />
      {rest === '' ? t.answer.allFine(totals.fine) : t.answer.someFine(totals.fine)}
      <Calm words={rest} />
    </h1>
  );
}

function Calm({ words }: { readonly words: string }) {
  return words !== '' && <span className="font-medium text-ink-3">{words}</span>;
}
