import './wall.css';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Fragment, use, useEffect } from 'react';
import type { Trouble } from '../../../src/domain/history/standing.ts';
import type { WallTileJson, WallViewJson } from '../../../src/views/board-json.ts';
import { ApiError } from '../../app/api.ts';
import { query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Blank } from '../../ui/blank.tsx';
import { Glyph, type Shape } from '../../ui/glyph.tsx';
import { LogoMark } from '../../ui/logo.tsx';
import { Sentence } from '../../ui/sentence.tsx';
import { ClockTime, PersonsTimes, Since, useNow } from '../../ui/time.tsx';
import { shortTime } from '../../ui/times.ts';
import { calmWords, fineWords, headlineParts } from '../checks/answer-words.ts';

const POLL_MS = 5_000;
/** After that time without an answer the display says that it is not live. */
const STALE_MS = 30_000;
/** After that time of failures the page itself is loaded again. */
const RELOAD_MS = 5 * 60_000;

/** A display for a wall, opened by its address. It has no controls, and nothing moves but the clock. */
export function Wall() {
  const { token } = useParams({ from: '/wall/$token' });
  const isLight = new URLSearchParams(location.search).get('theme') === 'light';
  const { data, error, dataUpdatedAt } = useQuery({
    ...query.wallView({ token }),
    refetchInterval: POLL_MS,
    refetchIntervalInBackground: true,
    retry: false,
  });
  const isGone = error instanceof ApiError && (error.code ?? '').endsWith('not_found');
  useReloadAfter(error);
  const current = useNow(1_000);
  const isStale = data !== undefined && current - dataUpdatedAt > STALE_MS;
  return (
    <main
      data-theme={isLight ? 'light' : 'dark'}
      className={`wall ${isStale ? 'grayscale [&>:not(header)]:opacity-55' : ''}`}
    >
      {isGone ? (
        <Blank shape="off" title={m.walls.gone}>
          {m.walls.goneHint}
        </Blank>
      ) : data === undefined ? (
        error !== null && (
          <Blank shape="off" title={m.walls.unread}>
            {error.message}
          </Blank>
        )
      ) : (
        <Shown view={data} seenAt={dataUpdatedAt} isStale={isStale} />
      )}
    </main>
  );
}

/** Nobody stands at a display who could load it again, for example after an upgrade of the service. */
function useReloadAfter(error: Error | null): void {
  const hasFailed = error !== null;
  useEffect(() => {
    if (!hasFailed) return;
    const timer = setTimeout(() => location.reload(), RELOAD_MS);
    return () => clearTimeout(timer);
  }, [hasFailed]);
}

function Shown({
  view,
  seenAt,
  isStale,
}: {
  readonly view: WallViewJson;
  readonly seenAt: number;
  readonly isStale: boolean;
}) {
  const style = use(PersonsTimes);
  const current = useNow(1_000);
  const { counts, tiles, more, failing } = view;
  const time = (at: number) => shortTime(at, style, current);
  const waiting = counts.new + counts.ready;
  // The answer has said it already.
  const isCalm = counts.fine === counts.total;
  return (
    <>
      <title>{m.title(counts.down > 0 ? m.checks.title(counts.down) : view.project)}</title>
      <header>
        <span className="wall-brand">
          <LogoMark />
          <span className="truncate">{view.project}</span>
        </span>
        {isStale ? (
          <span>{m.walls.stale}</span>
        ) : (
          <span className="wall-part">
            <i className="size-[calc(16*var(--u))] rounded-full bg-up-g" />
            {m.walls.watching}
          </span>
        )}
        <span className="wall-clock">{isStale ? m.walls.asOf(time(seenAt)) : time(current)}</span>
      </header>
      <Answer counts={counts} />
      {tiles.length > 0 && (
        <section className="wall-tiles" aria-label={m.walls.attention}>
          {tiles.map((tile) => (
            <Tile key={`${tile.name} ${tile.since}`} tile={tile} />
          ))}
        </section>
      )}
      {more > 0 && <p className="text-[calc(31*var(--u))] text-ink-2">{m.walls.more(more)}</p>}
      <Band pulse={view.pulse} now={view.now} />
      {(!isCalm || failing.length > 0) && (
        <footer>
          <span className="wall-part">
            <Glyph shape="up" />
            {m.checks.answer.fine(counts.fine)}
          </span>
          {counts.silent > 0 && (
            <span className="wall-part">
              <Glyph shape="paused" />
              {m.checks.answer.silent(counts.silent)}
            </span>
          )}
          {waiting > 0 && (
            <span className="wall-part">
              <Glyph shape="new" />
              {m.checks.answer.ready(waiting)}
            </span>
          )}
          {failing.slice(0, 1).map(({ name, next }) => (
            <span key={name} className="wall-part">
              <Glyph shape="retrying" />
              {next === null ? m.walls.givenUp(name) : m.walls.retrying(name)}
            </span>
          ))}
        </footer>
      )}
    </>
  );
}

const TONES: Readonly<Record<Trouble, string>> = {
  down: 'text-down',
  held: 'text-down',
  acknowledged: 'text-down',
  late: 'text-late',
  never_came: 'text-late',
  slow: '',
};

function Answer({ counts }: Pick<WallViewJson, 'counts'>) {
  const parts = headlineParts(counts, counts.untold);
  if (parts.length === 0)
    return (
      <h1>{counts.total === 0 ? m.checks.empty : counts.fine > 0 ? fineWords(counts) : calmWords(counts)}</h1>
    );
  return (
    <h1 className={parts.length > 2 ? 'wall-long' : undefined}>
      {parts.map(({ kind, words }) => (
        <Fragment key={kind}>
          <span className={`whitespace-nowrap ${TONES[kind]}`}>{words}</span>{' '}
        </Fragment>
      ))}
    </h1>
  );
}

const SHAPES: Readonly<Record<Trouble, Shape>> = {
  down: 'down',
  held: 'held',
  acknowledged: 'acknowledged',
  late: 'late',
  never_came: 'never_came',
  slow: 'running',
};
const WORDS: Readonly<Record<Trouble, string>> = {
  down: m.statuses.down,
  held: m.statuses.down,
  acknowledged: m.statuses.down,
  late: m.statuses.late,
  never_came: '',
  slow: m.statuses.running,
};
/** The colours of a tile. */
const LOOKS: Readonly<Record<Trouble, string>> = {
  down: 'is-down',
  held: 'is-down is-taken',
  acknowledged: 'is-down is-taken',
  late: 'is-late',
  never_came: 'is-late',
  slow: 'is-slow',
};
const NEXT = {
  goes_down: m.checks.band.goesDown,
  due: m.checks.row.nextRun,
  overdue: m.checks.row.wasDue,
} as const;

function Tile({ tile }: { readonly tile: WallTileJson }) {
  const { name, count, status, by, since, next, cause } = tile;
  const word = WORDS[status];
  const neverCame = (
    <>
      {m.checks.answer.since.never_came.many} <ClockTime at={since} />
    </>
  );
  return (
    <article className={`wall-tile ${LOOKS[status]}`}>
      <div>
        <Glyph shape={SHAPES[status]} />
        <h2 className="flex-1 truncate">{count > 1 ? m.checks.band.many(count) : name || m.walls.unnamed}</h2>
      </div>
      <p className="line-clamp-2">
        {status === 'never_came' ? (
          // The list says the same of it.
          <b>{cause === null ? neverCame : <Sentence parts={cause} />}</b>
        ) : (
          <>
            <b>
              {word} <Since at={since} />
            </b>
            {status === 'acknowledged' && ` · ${m.walls.has(by)}`}
            {cause !== null && cause.length > 0 && (
              <>
                {' · '}
                <Sentence parts={cause} />
              </>
            )}
          </>
        )}
      </p>
      {next !== null && (
        <p className="line-clamp-2 text-ink-2">
          {'→ '}
          <b>
            <ClockTime at={next.at} />
          </b>{' '}
          {NEXT[next.kind]}
        </p>
      )}
    </article>
  );
}

/** The width of a span of the pulse. */
const SLOT = 10;
const HEIGHT = 100;
const ROOM = 20;
const OUTLINE = 'fill-none [vector-effect:non-scaling-stroke]';

/** Past and expected runs. */
function Band({ pulse, now }: Pick<WallViewJson, 'pulse' | 'now'>) {
  const { ran, failed, missed, expected, from, step } = pulse;
  const [past, future] = [72, 24];
  const most = Math.max(1, ...ran, ...expected);
  const tall = (count: number) => (count / most) * (HEIGHT - ROOM);
  const first = past - Math.min(past, ran.length);
  const start = Date.parse(from);
  const nowSlot = first + (Date.parse(now) - start) / (step * 1_000);
  const hour = (slots: number) => new Date(start + (slots - first) * step * 1_000).toISOString();
  return (
    <>
      <div className="relative mt-auto flex max-h-[38dvh] min-h-[calc(84*var(--u))] flex-1">
        <svg
          viewBox={`0 0 ${(past + future) * SLOT} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={m.walls.band}
          className="absolute inset-0 size-full"
        >
          {ran.slice(-past).map((count, slot) => {
            const x = (first + slot) * SLOT + 1;
            const height = tall(count);
            const index = Math.max(0, ran.length - past) + slot;
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a slot is its place
              <g key={slot}>
                <rect className="fill-bar-ok" x={x} y={HEIGHT - height} width={SLOT - 2} height={height} />
                {count > 0 && (
                  <rect className="fill-bar-cap" x={x} y={HEIGHT - height} width={SLOT - 2} height={2.5} />
                )}
                {(failed[index] ?? 0) > 0 && (
                  <rect className="fill-down-g" x={x} y={HEIGHT - height - 16} width={SLOT - 2} height={12} />
                )}
                {(missed[index] ?? 0) > 0 && (
                  <rect
                    className={`${OUTLINE} stroke-down-g stroke-2`}
                    x={x}
                    y={HEIGHT - height - 16}
                    width={SLOT - 2}
                    height={12}
                  />
                )}
              </g>
            );
          })}
          {expected.slice(0, future).map((count, slot) =>
            count === 0 ? null : (
              <rect
                // biome-ignore lint/suspicious/noArrayIndexKey: a slot is its place
                key={slot}
                className={`${OUTLINE} stroke-control stroke-[1.5]`}
                x={(past - 1 + slot) * SLOT + 1}
                y={HEIGHT - tall(count)}
                width={SLOT - 2}
                height={tall(count)}
              />
            ),
          )}
          <rect className="fill-ink" x={nowSlot * SLOT - 1} y={0} width={2} height={HEIGHT} />
        </svg>
      </div>
      <div className="wall-axis">
        <span>
          <ClockTime at={hour(0)} />
        </span>
        <span>
          <ClockTime at={hour(past / 3)} />
        </span>
        <span>
          <ClockTime at={hour((past / 3) * 2)} />
        </span>
        <b style={{ left: `${((nowSlot / (past + future)) * 100).toFixed(2)}%` }}>{m.walls.now}</b>
        <span className="col-start-4 text-right">
          <ClockTime at={hour(past + future)} />
        </span>
      </div>
    </>
  );
}
