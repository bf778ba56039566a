import { Fragment, type ReactNode, use } from 'react';
import { seconds as micros } from '../../../src/lib/instant.ts';
import { ageText, spanText } from '../../../src/lib/text/ages.ts';
import { act } from '../../app/act.ts';
import { shownName } from '../../app/channel-names.ts';
import { useAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { DayName } from '../../ui/day-name.tsx';
import { Glyph, type Shape } from '../../ui/glyph.tsx';
import { Sentence } from '../../ui/sentence.tsx';
import { ClockTime, PersonsTimes } from '../../ui/time.tsx';
import { clockTime, dayOf, exactTime } from '../../ui/times.ts';
import { tell } from '../../ui/toasts.tsx';
import { plainLine } from './ansi.ts';
import type { DeliveryEvent, FlipEvent, LoggedEvent, RunEvent, RunSignal } from './queries.ts';
import './events.css';

/** Characters of a run id that tell runs apart. */
const SHORT_ID = 5;

interface Context {
  /** The check in the address. */
  readonly name: string;
  readonly mayRetry: boolean;
  readonly words: string;
  readonly fresh: ReadonlySet<string>;
  readonly onOpen: (n: number) => void;
}

/** Events by day. */
export function EventRows({ events, ...context }: Context & { readonly events: readonly LoggedEvent[] }) {
  const style = use(PersonsTimes);
  const days = Map.groupBy(events, ({ at }) => dayOf(Date.parse(at), style));
  return (
    <ol className="text-13">
      {[...days].map(([day, ofDay]) => (
        <li key={day}>
          <DayHead at={ofDay[0]?.at ?? ''} />
          <ol>
            {ofDay.map((event) => (
              <li key={event.id}>
                {event.kind === 'flip' ? (
                  <FlipRow event={event} context={context} />
                ) : (
                  <RunRow event={event} context={context} />
                )}
              </li>
            ))}
          </ol>
        </li>
      ))}
    </ol>
  );
}

function DayHead({ at }: { readonly at: string }) {
  return (
    <p className="flex gap-2 border-t border-line px-4 pt-2.5 pb-1.5 text-12 font-semibold text-ink-2">
      <DayName at={at} />
    </p>
  );
}

/** When the thing happened, and how much later its ping came. Empty for one that came in time. */
export function Lateness({ at, occurred }: { readonly at: string; readonly occurred?: string | undefined }) {
  if (occurred === undefined) return null;
  return (
    <>
      <Happened at={occurred} />, {m.check.events.arrivedLater(laterBy(at, occurred))}
    </>
  );
}

function Happened({ at }: { readonly at: string }) {
  return (
    <>
      {m.check.events.happened} <ClockTime at={at} hasSeconds />
    </>
  );
}

export function laterBy(at: string, occurred: string): string {
  return ageText(1_000 * (Date.parse(at) - Date.parse(occurred)));
}

/** The time of day, with seconds; the whole date is its title. */
function RowTime({ at }: { readonly at: string }) {
  const style = use(PersonsTimes);
  return (
    <time dateTime={at} title={exactTime(Date.parse(at), style)}>
      {clockTime(Date.parse(at), style, true)}
    </time>
  );
}

const SIGNAL_SHAPES: Readonly<Record<RunSignal['signal'], Shape>> = {
  success: 'up',
  fail: 'down',
  start: 'start',
  progress: 'log',
  log: 'log',
  ign: 'off',
};

function shapeOf({ kind, result }: RunEvent): Shape {
  if (result === 'running') return 'running';
  if (result === 'failed') return 'down';
  if (result === 'warned') return 'late';
  return SIGNAL_SHAPES[kind];
}

function titleOf({ kind, result, exitStatus }: RunEvent): string {
  const { events } = m.check;
  if (kind === 'fail' && exitStatus !== null) return events.exitStatus(exitStatus);
  return result === null ? events.kinds[kind] : events.results[result];
}

function RunRow({ event, context }: { readonly event: RunEvent; readonly context: Context }) {
  const { events } = m.check;
  const last = event.signals.at(-1);
  if (last === undefined) return null;
  const source =
    last.scheme === 'email'
      ? events.byMail
      : last.from === null
        ? last.method
        : events.from(last.method, last.from);
  const meta = [
    ...(event.signals.length === 1 ? [events.number(last.n)] : []),
    ...(event.runId === null ? [] : [events.run(event.runId.slice(0, SHORT_ID))]),
    ...(event.signals.length === 1 ? [] : [events.signals(event.signals.length)]),
    ...(event.isKept ? [events.gone] : [source]),
    ...(last.userAgent === '' ? [] : [last.userAgent.slice(0, 80)]),
  ].join(' · ');
  const withBody = event.signals.findLast(({ excerpt }) => excerpt.length > 0);
  return (
    <article className={`event ${context.fresh.has(event.id) ? 'is-new' : ''}`}>
      <RowTime at={event.at} />
      <Glyph shape={shapeOf(event)} />
      <div className="what min-w-0 truncate">
        {event.isKept ? (
          <span className="font-medium">{titleOf(event)}</span>
        ) : (
          <button
            type="button"
            className="ev-open font-medium hover:underline"
            aria-label={`${titleOf(event)}. ${events.open(last.n)}`}
            onClick={() => context.onOpen(last.n)}
          >
            {titleOf(event)}
          </button>
        )}{' '}
        <span className="meta">
          <Lateness {...last} />
          {last.occurred !== undefined && ' · '}
          <Marked text={meta} words={context.words} />
        </span>
      </div>
      <span className="event__duration">{event.duration !== null && spanText(micros(event.duration))}</span>
      {event.signals.length > 1 && (
        <ul className="rest">
          {event.signals.map((signal) => (
            <SignalLine key={signal.n} signal={signal} onOpen={context.onOpen} />
          ))}
        </ul>
      )}
      {withBody !== undefined && <Excerpt signal={withBody} words={context.words} />}
    </article>
  );
}

function SignalLine({
  signal,
  onOpen,
}: {
  readonly signal: RunSignal;
  readonly onOpen: (n: number) => void;
}) {
  const { events } = m.check;
  const word =
    signal.exitStatus === null || signal.signal !== 'fail'
      ? events.kinds[signal.signal]
      : events.exitStatus(signal.exitStatus);
  return (
    <li className="flex flex-wrap items-center gap-x-2.5 py-0.5 text-12 *:whitespace-nowrap">
      <span className="font-mono text-ink-3">
        <RowTime at={signal.at} />
      </span>
      <Glyph shape={SIGNAL_SHAPES[signal.signal]} className="size-3" />
      <button type="button" className="hover:underline" onClick={() => onOpen(signal.n)}>
        {events.number(signal.n)} {word}
        {signal.size > 0 && <span className="text-ink-3"> · {events.bytes(signal.size)}</span>}
      </button>
      {/* The line of the run says how much later it came. */}
      {signal.occurred !== undefined && (
        <span className="text-ink-3">
          <Happened at={signal.occurred} />
        </span>
      )}
    </li>
  );
}

function Excerpt({ signal, words }: { readonly signal: RunSignal; readonly words: string }) {
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
      aria-label={`${m.check.ping.body} ${m.check.events.number(signal.n)}`}
      className="bodytext rest"
    >
      {signal.excerpt.map((line, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
        <Fragment key={place}>
          <Marked text={plainLine(line)} words={words} />
          {'\n'}
        </Fragment>
      ))}
    </section>
  );
}

/** The text with the searched words marked. */
export function Marked({ text, words }: { readonly text: string; readonly words: string }): ReactNode {
  if (words === '') return text;
  const pieces: ReactNode[] = [];
  const lower = text.toLowerCase();
  let from = 0;
  for (let at = lower.indexOf(words); at !== -1; at = lower.indexOf(words, from)) {
    pieces.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + words.length)}</mark>);
    from = at + words.length;
  }
  return [...pieces, text.slice(from)];
}

const FLIP_SHAPES = { up: 'up', down: 'down', paused: 'paused', new: 'new' } as const;

function FlipRow({ event, context }: { readonly event: FlipEvent; readonly context: Context }) {
  const { events } = m.check;
  const { oldStatus, newStatus, cause, lasted, deliveries, notes } = event;
  const isTrouble =
    newStatus === 'down' ? 'is-down' : newStatus === 'up' && oldStatus === 'down' ? 'is-up' : '';
  const because =
    cause === null
      ? ''
      : cause.exitStatus === null
        ? events.causes[cause.kind]
        : events.causeExit(cause.exitStatus);
  return (
    <article className={`event is-flip ${isTrouble} ${context.fresh.has(event.id) ? 'is-new' : ''}`}>
      <RowTime at={event.at} />
      <Glyph shape={FLIP_SHAPES[newStatus]} />
      <div className="what">
        <b className="font-medium">
          {events.statuses[oldStatus]} → {events.statuses[newStatus]}
        </b>{' '}
        <span className="meta">{because}</span>
      </div>
      <span className="event__duration">
        {lasted !== null &&
          oldStatus !== 'new' &&
          events.after(ageText(micros(lasted)), events.statuses[oldStatus].toLowerCase())}
      </span>
      {notes.length > 0 && (
        <ul className="rest text-12 text-ink-2">
          {notes.map((note) => (
            <li key={JSON.stringify(note)} className="py-0.5">
              <Sentence parts={note} />
            </li>
          ))}
        </ul>
      )}
      {deliveries.length > 0 && (
        <ul className="tree rest" aria-label={events.deliveries}>
          {deliveries.map((delivery) => (
            <DeliveryLine key={delivery.id} delivery={delivery} context={context} />
          ))}
        </ul>
      )}
    </article>
  );
}

function stateShape({ state, tries }: DeliveryEvent): Shape {
  if (state === 'open') return tries === 0 ? 'waiting' : 'retrying';
  return { delivered: 'up', given_up: 'down', skipped: 'off' }[state] as Shape;
}

function DeliveryLine({
  delivery,
  context,
}: {
  readonly delivery: DeliveryEvent;
  readonly context: Context;
}) {
  const { events } = m.check;
  const { state, tries, finishedAt, triedAt, took, error, nextAt, channel, because } = delivery;
  const shape = stateShape(delivery);
  return (
    <li>
      <Glyph
        shape={shape}
        className="size-[13px]"
        label={shape === 'retrying' ? m.check.told.retrying : events.states[state]}
      />
      <b className="truncate font-medium">{shownName(channel)}</b>
      <span className="delivery-answer text-ink-2">
        {because !== undefined && `${events.because[because]} · `}
        {state === 'open' && tries > 0 ? m.check.told.retrying : events.states[state]}{' '}
        {state === 'delivered' && finishedAt !== null && <ClockTime at={finishedAt} hasSeconds />}
        {state === 'delivered' && took !== null && ` · ${events.took(spanText(micros(took)))}`}
        {tries > 1 && ` · ${events.tries(tries)}`}
        {state === 'open' && triedAt !== null && (
          <>
            {' · '}
            <ClockTime at={triedAt} hasSeconds />
          </>
        )}
        {error !== '' && ` · ${error}`}
        {nextAt !== null && tries > 0 && (
          <>
            {` · ${events.nextTry} `}
            <ClockTime at={nextAt} />
          </>
        )}
        {state === 'open' && tries > 0 && context.mayRetry && <TryNow id={delivery.id} name={context.name} />}
      </span>
    </li>
  );
}

function TryNow({ id, name }: { readonly id: string; readonly name: string }) {
  const hurry = useAct(act.hurryMessage, () => tell(m.check.events.hurried));
  return (
    <>
      {' '}
      <button
        type="button"
        disabled={hurry.isBusy}
        className="whitespace-nowrap text-link underline"
        onClick={() => hurry.run({ check: name, delivery: id })}
      >
        {m.check.events.tryNow}
      </button>
    </>
  );
}
