import { Link } from '@tanstack/react-router';
import type { CheckRowJson } from '../../../src/views/board-json.ts';
import type { LaneJson } from '../../../src/views/timeline-json.ts';
import { m } from '../../messages/index.ts';
import { ClockTime } from '../../ui/time.tsx';
import type { Shown } from './axis.ts';
import { countOf, nameOf, pageOf, StatusGlyph } from './lane.tsx';
import { useLanes } from './use-lanes.ts';

/** Lanes that a table asks for at once. */
const BLOCK = 30;

interface Lanes {
  readonly project: string;
  readonly rows: readonly CheckRowJson[];
  readonly shown: Shown;
}

const CELL = 'border-b border-line px-3 py-1.5 text-left font-normal whitespace-nowrap';

/** The lanes in words and numbers. */
export function LaneTable({ rows, ...shown }: Lanes) {
  const { table } = m.timeline;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whatever scrolls can be reached by keyboard
    <section aria-label={m.timeline.lanes} tabIndex={0} className="overflow-x-auto border-t border-line">
      <table className="w-full">
        <thead className="text-12 text-ink-3">
          <tr>
            {[table.check, table.ok, table.failed, table.missed, table.last, table.next].map((title) => (
              <th key={title} scope="col" className={CELL}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        {Array.from({ length: Math.ceil(rows.length / BLOCK) }, (_, n) => (
          <TableBlock key={rows[n * BLOCK]?.key} rows={rows.slice(n * BLOCK, (n + 1) * BLOCK)} {...shown} />
        ))}
      </table>
    </section>
  );
}

function TableBlock({ project, rows, shown }: Lanes) {
  const keys = rows.map(({ key }) => key);
  const lanes = useLanes(project, keys, shown, true);
  return (
    <tbody>
      {rows.map((row) => (
        <LaneCells key={row.key} row={row} lane={lanes?.get(row.key)} />
      ))}
    </tbody>
  );
}

const iso = (seconds: number) => new Date(seconds * 1_000).toISOString();

function LaneCells({ row, lane }: { readonly row: CheckRowJson; readonly lane: LaneJson | undefined }) {
  const last = lane?.runs.at(-1)?.span[1] ?? lane?.band?.[1];
  const next = lane?.expected[0] ?? lane?.expectedBand?.[0];
  return (
    <tr>
      <th scope="row" className={CELL}>
        <Link {...pageOf(row)} className="inline-flex items-center gap-2 font-medium hover:underline">
          <StatusGlyph row={row} />
          {nameOf(row)}
        </Link>
      </th>
      <td className={CELL}>
        {lane === undefined
          ? ''
          : lane.band === null
            ? countOf(lane, 'ok', 'warned', 'late')
            : m.timeline.many}
      </td>
      <td className={CELL}>{lane && countOf(lane, 'failed')}</td>
      <td className={CELL}>{lane && m.runs.many(countOf(lane, 'missed'))}</td>
      <td className={CELL}>{last !== undefined && <ClockTime at={iso(last)} />}</td>
      <td className={CELL}>{next !== undefined && <ClockTime at={iso(next)} />}</td>
    </tr>
  );
}
