import { shownName } from '../../app/channel-names.ts';
import { m } from '../../messages/index.ts';
import { Glyph, type Shape } from '../../ui/glyph.tsx';
import { ClockTime, useNow } from '../../ui/time.tsx';
import type { ShownCheck, ShownStation } from './queries.ts';
import './fuse.css';

const SHAPES: Readonly<Record<ShownStation['kind'], Shape>> = {
  last_ping: 'up',
  expected: 'missed',
  should_finish: 'late',
  started: 'running',
  down: 'down',
  failed: 'down',
  paused: 'paused',
  told: 'up',
  acknowledged: 'acknowledged',
  acknowledged_until: 'acknowledged',
  snoozed_until: 'snoozed',
  quiet_until: 'quiet',
  tells: 'waiting',
  told_again: 'up',
  again: 'waiting',
  // biome-ignore lint/suspicious/noThenProperty: it is the name of a station, and nobody waits for its shape.
  then: 'waiting',
  due: 'waiting',
  usually_done: 'waiting',
  goes_down: 'late',
  retry: 'retrying',
};

/** The line after a station: the grace time, an outage, or the time to come. */
const LINES: Partial<Record<ShownStation['kind'], string>> = {
  expected: 'is-wait',
  should_finish: 'is-wait',
  down: 'is-hot',
  failed: 'is-hot',
  told: 'is-hot',
  told_again: 'is-hot',
  acknowledged: 'is-hot',
};

/** Several integrations may be tried again in the same second. */
const keyOf = ({ kind, at, channel }: ShownStation) => `${kind} ${at} ${channel}`;

/** Stations with their times, and where now is among them. */
export function Fuse({ check }: { readonly check: ShownCheck }) {
  const now = useNow(1_000);
  const past = check.fuse.filter(({ at }) => Date.parse(at) <= now);
  const ahead = check.fuse.filter(({ at }) => Date.parse(at) > now);
  return (
    <section
      aria-label={m.check.fuse.label}
      className="mx-6 rounded-card border border-line bg-sunken px-5 pt-6 pb-3.5 max-md:mx-4 max-md:px-4 max-md:pt-3.5"
    >
      <ol className="fuse">
        {past.map((station) => (
          <Station key={keyOf(station)} station={station} check={check} line={LINES[station.kind] ?? ''} />
        ))}
        <li className="fuse-now">
          <span className="fuse-flag">
            {m.check.fuse.now} <ClockTime at={new Date(now).toISOString()} />
          </span>
        </li>
        {ahead.map((station) => (
          <Station key={keyOf(station)} station={station} check={check} line="is-ahead" />
        ))}
      </ol>
    </section>
  );
}

function Station({
  station,
  check,
  line,
}: {
  readonly station: ShownStation;
  readonly check: ShownCheck;
  readonly line: string;
}) {
  const isBad = station.kind === 'last_ping' && !station.isGood;
  return (
    <li className={`fuse-station ${line}`}>
      <Glyph shape={isBad ? 'down' : SHAPES[station.kind]} className="" />
      <ClockTime at={station.at} className="block leading-4.5 font-semibold" />
      <span className="block text-12 text-ink-3">{wordsOf(station, check)}</span>
    </li>
  );
}

function wordsOf(
  { kind, isGood, told, tells, misses, channel, attempt, by }: ShownStation,
  { channels, answer, whenToTell, fuse: stations }: ShownCheck,
): string {
  const { fuse } = m.check;
  const namesOf = (uuids: readonly string[] = []) =>
    uuids.map((uuid) => nameIn(channels, uuid)).filter(Boolean);
  switch (kind) {
    case 'last_ping':
      return isGood ? fuse.last_ping : fuse.last_failed;
    case 'told':
      return fuse.told(namesOf(told?.told), namesOf(told?.waiting), namesOf(told?.missed));
    case 'acknowledged':
      return fuse.acknowledged(by);
    case 'tells':
      return fuse.tells(namesOf(tells), misses ?? answer?.badRuns?.misses ?? 0);
    case 'told_again':
    case 'again':
    case 'then':
      return fuse[kind](namesOf(tells));
    case 'goes_down':
      if (stations.some((one) => one.kind === 'tells')) return fuse.goesDownFirst;
      return fuse[kind](
        channels
          .filter(({ id, assigned, state }) => state !== 'off' && (assigned || isNamedFirst(id, whenToTell)))
          .map(shownName),
      );
    case 'retry':
      return fuse.retry(nameIn(channels, channel), attempt ?? 1);
    default:
      return fuse[kind];
  }
}

/** Whether the rule tells the integration first: at the beginning of an outage. */
const isNamedFirst = (id: string, { rules }: ShownCheck['whenToTell']) =>
  rules.then?.some(({ after, tell }) => after === 0 && tell.includes(id)) ?? false;

function nameIn(channels: ShownCheck['channels'], uuid: string | null): string {
  const channel = channels.find(({ id }) => id === uuid);
  return channel === undefined ? '' : shownName(channel);
}
