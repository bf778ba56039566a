import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { seconds as micros } from '../../../src/lib/instant.ts';
import { ageText, spanText } from '../../../src/lib/text/ages.ts';
import { type Answer, query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Card } from '../../ui/card.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Glyph } from '../../ui/glyph.tsx';
import { Note } from '../../ui/note.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Cell, Table, TableRow } from '../../ui/table.tsx';
import { AdminPage } from './admin-page.tsx';
import { Doctor } from './doctor.tsx';
import { bytesText, forecast, freeText, grownText } from './storage-words.ts';
import { TestMail } from './test-mail.tsx';

const t = m.admin.health;

const REFRESH_MS = 2_000;
/** A loop is late from this share of the time on after which it counts as stuck. */
const LATE_SHARE = 0.5;

type Measured = Answer<'instanceHealth'>;

/** Whether Tocsin itself is well. */
export function Health() {
  const { data, error } = useQuery({ ...query.instanceHealth(), refetchInterval: REFRESH_MS });
  return (
    <AdminPage title={t.title}>
      {data === undefined ? (
        <>
          <h1 className="sr-only">{t.title}</h1>
          {error === null ? <Skeleton className="w-full" /> : <ErrorText>{error.message}</ErrorText>}
        </>
      ) : (
        <Vitals health={data} />
      )}
      <Doctor />
      <TestMail />
    </AdminPage>
  );
}

function Vitals({ health }: { readonly health: Measured }) {
  const isNearlyFull = health.growth?.isNearlyFull === true;
  const isWell = health.reasons.length === 0 && !isNearlyFull;
  return (
    <>
      <PageHead title={isWell ? t.well : t.unwell} lead={t.version(health.version)} />
      {health.reasons.map((reason) => (
        <Note key={reason} kind="down">
          {t.reasons[reason] ?? reason}
        </Note>
      ))}
      {isNearlyFull && (
        <Note kind="down">
          {t.nearlyFull(bytesText(health.disk?.freeBytes ?? null))} {forecast(health.growth)}
        </Note>
      )}
      <Loops loops={health.loops} />
      <div className="grid gap-4 lg:grid-cols-2">
        <Card title={t.queues}>
          <Facts
            facts={[
              [t.pings, count(health.queues.pings)],
              [t.deliveries, count(health.queues.deliveries)],
              [t.mails, count(health.queues.mails)],
              [t.bodies, count(health.queues.bodyMoves)],
              [t.lateDeadlines, late(health.lateSeconds.deadlines)],
              [t.lateDeliveries, late(health.lateSeconds.deliveries)],
            ]}
          />
        </Card>
        <Card title={t.machine}>
          <Facts
            facts={[
              [t.memory, bytesText(health.memoryBytes)],
              [t.lag, spanText(micros(health.eventLoopLagSeconds))],
              [t.written, m.times.ago(ageText(micros(health.secondsSinceWrite)))],
            ]}
          />
        </Card>
        <Storage health={health} />
      </div>
    </>
  );
}

function Storage({ health }: { readonly health: Measured }) {
  const { databaseBytes, growth, disk } = health;
  return (
    <Card title={t.storage}>
      <Facts
        facts={[
          [t.database, bytesText(databaseBytes)],
          [t.grewInWeek, grownText(growth?.weekBytes ?? null)],
          [t.grewInMonth, grownText(growth?.monthBytes ?? null)],
          ...(disk === null ? [] : [[t.free, freeText(disk)] as const]),
        ]}
      />
      <p className={`mt-3 text-13 ${growth?.isNearlyFull ? 'font-medium text-down' : 'text-ink-2'}`}>
        {forecast(health.growth)} {disk === null && t.unseenDisk}
      </p>
    </Card>
  );
}

const count = (value: number | null) => (value === null ? t.unknown : value.toLocaleString());
const late = (seconds: number | null) =>
  seconds === null ? t.unknown : seconds === 0 ? t.nothingLate : spanText(micros(seconds));

function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-3 md:grid-cols-3">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt className="text-12 text-ink-3">{name}</dt>
          <dd className="text-16 font-semibold">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

type Loop = Measured['loops'][number];

function Loops({ loops }: { readonly loops: readonly Loop[] }) {
  return (
    <Table label={t.loops} columns={[t.loop, t.state, t.lastTick, t.ticks]}>
      {loops.length === 0 && (
        <TableRow>
          <Cell span={4} isWide>
            <span className="text-ink-3">{t.noLoops}</span>
          </Cell>
        </TableRow>
      )}
      {loops.map((loop) => (
        <TableRow key={loop.name}>
          <Cell isWide>
            <span className="block font-medium">{t.does[loop.name] ?? loop.name}</span>
            <code className="text-12 text-ink-3">{loop.name}</code>
          </Cell>
          <Cell>
            <LoopState loop={loop} />
          </Cell>
          <Cell>
            {m.times.ago(ageText(micros(loop.secondsSinceSuccess)))}
            <span className="block text-12 text-ink-3">{t.atMost(spanText(micros(loop.maxSeconds)))}</span>
          </Cell>
          <Cell>
            {loop.ticks.toLocaleString()}
            {loop.failures > 0 && (
              <span className="block text-12 text-late">{t.failures(loop.failures)}</span>
            )}
          </Cell>
        </TableRow>
      ))}
    </Table>
  );
}

function LoopState({ loop }: { readonly loop: Loop }) {
  const share = loop.secondsSinceSuccess / Math.max(loop.maxSeconds, 1);
  const state = share > 1 ? 'down' : share > LATE_SHARE ? 'late' : 'up';
  return (
    <span className="inline-flex items-center gap-1.5 text-12 font-medium">
      <Glyph shape={state} />
      {t.states[state]}
    </span>
  );
}
