import { useQueries } from '@tanstack/react-query';
import type { Totals, Trouble } from '../../../src/domain/history/standing.ts';
import { query } from '../../app/read.ts';
import type { OwnProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Glyph } from '../../ui/glyph.tsx';
import { Sentence } from '../../ui/sentence.tsx';
import { ZoneNote } from '../../ui/zone-note.tsx';
import { calmWords, fineWords, headlineParts, sinceOver, sinceParts } from '../checks/answer-words.ts';
import { MAX_PULSES } from './heads.ts';

const t = m.projects;

const COLOURS: Readonly<Record<Trouble, string>> = {
  down: 'text-down',
  held: 'text-down',
  acknowledged: 'text-down',
  late: 'text-late',
  never_came: 'text-late',
  slow: '',
};

/** Whether anything is wrong anywhere, and since when. */
export function Answer({ projects }: { readonly projects: readonly OwnProject[] }) {
  const heads = useQueries({
    queries: projects.slice(0, MAX_PULSES).map(({ uuid }) => query.checkHead({ project: uuid })),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  });
  const sum = (count: (project: OwnProject) => number) =>
    projects.reduce((total, project) => total + count(project), 0);
  const slow = heads.reduce((total, { counts }) => total + counts.slow, 0);
  const neverCame = heads.reduce((total, { counts }) => total + counts.never_came, 0);
  const totals = {
    down: sum(({ checks }) => checks.down),
    held: sum(({ checks }) => checks.held),
    acknowledged: sum(({ checks }) => checks.acknowledged),
    late: sum(({ checks }) => checks.late),
    never_came: neverCame,
    slow,
    fine: Math.max(0, sum(({ checks }) => checks.up) - slow),
    silent: sum(({ checks }) => checks.silent),
    new: 0,
    // How many of them have run before is not known here.
    ready: sum(({ checks }) => checks.new) - neverCame,
  };
  const since = sinceOver(heads.flatMap((head) => head.since));
  return (
    <section className="px-5 pt-4 max-md:px-4">
      <Headline totals={totals} untold={sum(({ checks }) => checks.untold)} />
      <p className="min-h-5.5 text-14 text-ink-2">
        {t.inProjects(projects.length)} <Sentence parts={sinceParts(since)} /> <ZoneNote />
      </p>
    </section>
  );
}

function Headline({ totals, untold }: { readonly totals: Totals; readonly untold: number }) {
  const troubles = headlineParts(totals, untold);
  const look =
    'flex flex-wrap items-baseline gap-x-[.32em] text-26 tracking-[-.022em] max-md:text-[22px] max-md:leading-7';
  if (troubles.length > 0)
    return (
      <h1 className={look}>
        {troubles.map(({ kind, words }) => (
          <span key={kind} className={COLOURS[kind]}>
            {words}
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
      {fineWords(totals)}
      <Calm words={rest} />
    </h1>
  );
}

function Calm({ words }: { readonly words: string }) {
  return words !== '' && <span className="font-medium text-ink-3">{words}</span>;
}
