import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, use, useState } from 'react';
import { shownName } from '../../app/channel-names.ts';
import { now } from '../../app/clock.ts';
import { type Answer, query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { Segments } from '../../ui/segments.tsx';
import { PersonsTimes, PlannedTime } from '../../ui/time.tsx';
import { fieldOf, instantOf } from '../../ui/times.ts';
import type { ShownCheck } from './queries.ts';

type Why = Answer<'checkWhy'>;
type Asked = 'now' | 'down_timeout' | 'down_fail' | 'up';

const t = m.check.why;

/** So far ahead a question may look. */
const MAX_AHEAD_MS = 30 * 86_400_000;
/** Messages of each list that are shown. */
const MAX_SHOWN = 12;

interface Props {
  readonly check: ShownCheck;
  /** The check in the address. */
  readonly name: string;
}

/** Opens who is told when, and why the others are not. */
export function WhyButton({ check, name }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-label={t.openOf}
        onClick={() => setIsOpen(true)}
        className="touch text-12 text-link"
      >
        {t.open}
      </button>
      {isOpen && <WhySheet check={check} name={name} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function WhySheet({ check, name, onClose }: Props & { readonly onClose: () => void }) {
  const isDown = check.status === 'down';
  const choices: readonly Asked[] = isDown ? ['now', 'up'] : ['down_timeout', 'down_fail'];
  const [chosen, setChosen] = useState<Asked | null>(null);
  // The check may change its status meanwhile.
  const asked = choices.find((one) => one === chosen) ?? (isDown ? 'now' : 'down_timeout');
  const style = use(PersonsTimes);
  const [at, setAt] = useState('');
  const second = asked === 'down_fail' && at !== '' ? Math.floor((instantOf(at, style) ?? 0) / 1_000) : null;
  const { data, isError } = useQuery({
    ...query.checkWhy({
      check: name,
      ...(asked !== 'now' && { event: asked }),
      ...(second !== null && { at: second }),
    }),
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  return (
    <Dialog title={t.title(check.name || m.check.unnamed)} shape="sheet" onClose={onClose}>
      <div>
        <Segments
          label={t.what}
          choices={choices.map((value) => ({ value, label: value === 'now' ? t.now : t.events[value] }))}
          value={asked}
          onChange={setChosen}
        />
      </div>
      {asked === 'down_fail' && (
        <Field
          label={t.at}
          name="at"
          type="datetime-local"
          min={fieldOf(now(), style)}
          max={fieldOf(now() + MAX_AHEAD_MS, style)}
          defaultValue={fieldOf(now(), style)}
          onChange={({ target }) => target.validity.valid && setAt(target.value)}
        />
      )}
      {isError && <ErrorText>{t.failed}</ErrorText>}
      {data && <Answered why={data} check={check} />}
    </Dialog>
  );
}

function Answered({ why, check }: { readonly why: Why; readonly check: ShownCheck }) {
  const nameOf = ({ id, name, kind }: Why['told'][number]['channel']) => {
    const channel = check.channels.find((one) => one.id === id);
    return channel === undefined ? name || kind : shownName(channel);
  };
  const shut = why.gates.filter(({ open }) => !open);
  const hours = why.gates.find(({ gate, open }) => gate === 'hours' && open);
  const { supposed } = why;
  const messages = (all: readonly (Why['would_tell'][number] & Partial<Why['told'][number]>)[]) =>
    all.map(({ at, channel, event, status, state = 'delivered' }) => (
      <Line key={`${at} ${channel.id} ${event}`} name={nameOf(channel)}>
        {t.message[event][status]} · <PlannedTime at={at} />
        {state !== 'delivered' && ` · ${t.undelivered[state]}`}
      </Line>
    ));
  const withheld = (all: Why['waits']) =>
    all.map(({ channel, because, says, until }) => (
      <Line key={channel.id} name={nameOf(channel)}>
        {because === 'event_not_wanted' ? t.eventNotWanted : says}
        <UntilTime at={until} />
      </Line>
    ));
  const lists = [
    ...(supposed === null ? [{ title: t.told, lines: messages(why.told) }] : []),
    { title: t.waits, lines: withheld(why.waits) },
    { title: supposed === null ? t.wouldTell : t.wouldTellThen, lines: messages(why.would_tell) },
    // Those stand above.
    { title: t.notTold, lines: withheld(why.not_told.filter(({ because }) => because !== 'already_told')) },
  ];
  return (
    <div className="grid gap-4" aria-live="polite">
      {supposed !== null && (
        <p className="text-13 text-ink-2">
          {check.status === 'new' && <>{t.beforeFirst} </>}
          {t.supposed[supposed.event]} <PlannedTime at={supposed.at} />.{hours && ` ${t.hours(hours.says)}`}
        </p>
      )}
      {shut.length > 0 && (
        <List
          title={t.held}
          lines={shut.map(({ gate, says, until }) => (
            <li key={gate} className="border-t border-line py-2 text-13">
              {says}
              <UntilTime at={until} />
            </li>
          ))}
        />
      )}
      {lists.map(({ title, lines }) => lines.length > 0 && <List key={title} title={title} lines={lines} />)}
      {shut.length === 0 && lists.every(({ lines }) => lines.length === 0) && (
        <p className="text-13 text-ink-2">{t.nothing}</p>
      )}
    </div>
  );
}

function List({ title, lines }: { readonly title: string; readonly lines: readonly ReactNode[] }) {
  return (
    <section>
      <h3 className="mb-1 text-12 font-semibold text-ink-3">{title}</h3>
      <ul>{lines.slice(0, MAX_SHOWN)}</ul>
      {lines.length > MAX_SHOWN && <p className="text-12 text-ink-3">{t.more(lines.length - MAX_SHOWN)}</p>}
    </section>
  );
}

function Line({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <li className="border-t border-line py-2 text-13 [overflow-wrap:anywhere]">
      <b className="font-medium">{name}</b> <span className="text-ink-2">{children}</span>
    </li>
  );
}

function UntilTime({ at }: { readonly at: string | null }) {
  if (at === null) return null;
  return (
    <>
      , {t.until} <PlannedTime at={at} />
    </>
  );
}
