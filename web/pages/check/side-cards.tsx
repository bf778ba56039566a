import { Link } from '@tanstack/react-router';
import { use, useState } from 'react';
import { seconds as micros } from '../../../src/lib/instant.ts';
import { spanText } from '../../../src/lib/text/ages.ts';
import { attempt } from '../../acts/attempt.ts';
import { FileQuestion } from '../../acts/file-question.tsx';
import { act } from '../../app/act.ts';
import { shownName } from '../../app/channel-names.ts';
import { now } from '../../app/clock.ts';
import { m } from '../../messages/index.ts';
import { Card } from '../../ui/card.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Glyph, type Shape } from '../../ui/glyph.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Switch } from '../../ui/switch.tsx';
import { ClockTime, PersonsTimes, Until } from '../../ui/time.tsx';
import { exactTime, timeIn } from '../../ui/times.ts';
import { rulesWords } from '../alerting/choice.ts';
import type { Month, ShownChannel, ShownCheck } from './queries.ts';
import { WhyButton } from './why-sheet.tsx';

interface Props {
  readonly check: ShownCheck;
  /** The check in the address. */
  readonly name: string;
}

/** All integrations of the project, and whether they are told of this check. */
export function ToldCard({ check, name }: Props) {
  const { told } = m.check;
  return (
    <Card title={told.title} action={<WhyButton check={check} name={name} />}>
      <WhenLine check={check} name={name} />
      {check.channels.length === 0 ? (
        <p className="text-ink-2">
          {told.none}{' '}
          {check.may.edit && (
            <Link
              to="/projects/$project/integrations/"
              params={{ project: check.project.id }}
              className="text-link underline"
            >
              {told.add}
            </Link>
          )}
        </p>
      ) : (
        <ul className="-mb-2">
          {heardFirst(check).map((channel) => (
            <ChannelLine key={channel.id} channel={channel} check={check} name={name} />
          ))}
        </ul>
      )}
    </Card>
  );
}

/** When outages are told, and what has chosen that. */
function WhenLine({ check, name }: Props) {
  const { told } = m.check;
  const { whenToTell, channels } = check;
  const { because, isUnknown } = whenToTell;
  const known = { channels: channels.map(({ id, ...one }) => ({ ...one, uuid: id })) };
  const words = isUnknown ? told.unknownRules : rulesWords(whenToTell, known);
  return (
    <p className="mb-2 text-12 text-ink-2 [overflow-wrap:anywhere]">
      {told.when} <b className="font-medium">{words}</b>
      {because !== 'default' && ` · ${told.because(because)}`}
      {check.may.edit && (
        <>
          {' · '}
          <Link
            to="/checks/$check/edit/"
            params={{ check: name }}
            className="touch text-link underline"
            aria-label={told.changeWhen}
          >
            {told.change}
          </Link>
        </>
      )}
    </p>
  );
}

const stepsOf = ({ whenToTell: { rules } }: ShownCheck) => rules.then ?? [];

/** After how many seconds the integration is told, though it is not assigned. Null: it is not. */
const toldAfter = (check: ShownCheck, { id }: ShownChannel): number | null =>
  stepsOf(check).find(({ tell }) => tell.includes(id))?.after ?? null;

/** Those that are assigned, then those that are told next, then the others. */
function heardFirst(check: ShownCheck): readonly ShownChannel[] {
  const rank = (channel: ShownChannel) =>
    channel.assigned ? -1 : (toldAfter(check, channel) ?? Number.POSITIVE_INFINITY);
  return check.channels.toSorted((one, other) => {
    const [first, second] = [rank(one), rank(other)];
    return first === second ? 0 : first - second;
  });
}

function ChannelLine({ channel, check, name }: Props & { readonly channel: ShownChannel }) {
  const [wanted, setWanted] = useState<boolean | null>(null);
  const isOn = wanted ?? channel.assigned;
  const change = (isAssigned: boolean) => {
    const work = async () => {
      await act.assignChannel({ check: name, channel: channel.id, isAssigned });
      setWanted(null);
    };
    const guess = { show: () => setWanted(isAssigned), takeBack: () => setWanted(null) };
    return attempt(m.check.told.failed, work, guess);
  };
  const [asked, setAsked] = useState<boolean | null>(null);
  const files = check.origins.fields.filter(({ by, field }) => by === 'file' && field === 'integrations');
  const after = toldAfter(check, channel);
  const isHeard = isOn || channel.told !== null || channel.next !== null || after !== null;
  const { shape, isBad } = healthOf(channel, check);
  return (
    <li className="flex items-center gap-2.5 border-t border-line py-2">
      <Glyph shape={isHeard ? shape : 'off'} />
      <div className="min-w-0 flex-1">
        <b className="line-clamp-2 font-medium [overflow-wrap:anywhere]">{shownName(channel)}</b>
        <span
          className={`block text-12 [overflow-wrap:anywhere] ${isHeard && isBad ? 'text-late' : 'text-ink-3'}`}
        >
          {isHeard ? (
            <Health channel={channel} check={check} after={isOn ? null : after} />
          ) : (
            m.check.told.offForCheck
          )}
        </span>
        {isOn && channel.done !== null && check.may.edit && (
          <SuccessBox channel={channel} isTold={channel.done} name={name} />
        )}
        {isOn && channel.done === true && !check.may.edit && (
          <span className="block text-12 text-ink-3">{m.check.told.eachSuccess}</span>
        )}
      </div>
      {check.may.edit && (
        <Switch
          label={m.check.told.switch(shownName(channel))}
          isOn={isOn}
          isBusy={wanted !== null}
          onChange={(assigned) => (files.length > 0 ? setAsked(assigned) : void change(assigned))}
        />
      )}
      {asked !== null && (
        <FileQuestion
          undone={files.map(({ name: source }) => ({ words: m.check.told.title, source }))}
          send={() => change(asked)}
          onClose={() => setAsked(null)}
        />
      )}
    </li>
  );
}

/** Whether the integration is told of each success, too. */
function SuccessBox({
  channel,
  isTold,
  name,
}: Pick<Props, 'name'> & { readonly channel: ShownChannel; readonly isTold: boolean }) {
  const [wanted, setWanted] = useState<boolean | null>(null);
  const change = (next: boolean) => {
    const work = async () => {
      await act.tellSuccesses({ check: name, channel: channel.id, isTold: next });
      setWanted(null);
    };
    return attempt(m.check.told.failed, work, {
      show: () => setWanted(next),
      takeBack: () => setWanted(null),
    });
  };
  return (
    <div className="mt-1 text-12 text-ink-2">
      <Checkbox
        label={m.check.told.eachSuccess}
        aria-label={`${shownName(channel)}: ${m.check.told.eachSuccess}`}
        checked={wanted ?? isTold}
        disabled={wanted !== null}
        onChange={(event) => void change(event.target.checked)}
      />
    </div>
  );
}

function healthOf(
  { state, reached, told, next, isOutsideHours }: ShownChannel,
  { status }: ShownCheck,
): { readonly shape: Shape; readonly isBad: boolean } {
  if (state === 'off') return { shape: 'off', isBad: true };
  if (state === 'unconfirmed') return { shape: 'unknown', isBad: true };
  if (told?.state === 'given_up') return { shape: 'down', isBad: true };
  if (told?.state === 'retrying') return { shape: 'retrying', isBad: true };
  if (status === 'down' && told === null && (next !== null || isOutsideHours))
    return { shape: 'waiting', isBad: false };
  return { shape: reached === null ? 'waiting' : 'up', isBad: false };
}

function Health({
  channel: { state, reached, told, next, isOutsideHours },
  check,
  after,
}: {
  readonly channel: ShownChannel;
  readonly check: ShownCheck;
  /** After how many seconds it is told, though it is not assigned. Null: it is assigned, or told by nothing else. */
  readonly after: number | null;
}) {
  const words = m.check.told;
  if (state === 'off') return words.off;
  if (state === 'unconfirmed') return words.unconfirmed;
  if (told !== null && told.state !== 'delivered' && told.state !== 'off') {
    return (
      <>
        {words[told.state]}
        {told.error !== '' && ` · ${told.error}`}
        {told.next !== null && (
          <>
            {` · ${words.next} `}
            <ClockTime at={told.next} />
          </>
        )}
      </>
    );
  }
  if (check.status === 'down') {
    const again = next !== null && (
      <>
        {` · ${words.next} `}
        <ClockTime at={next.at} />
      </>
    );
    if (told?.at != null)
      return (
        <>
          {words.toldAt} <ClockTime at={told.at} />
          {told.again !== null && (
            <>
              {`, ${words.again} `}
              <ClockTime at={told.again} />
            </>
          )}
          {again}
        </>
      );
    if (next !== null)
      return (
        <>
          {isOutsideHours ? words.outsideHours : after === null ? words.toldThen : words.thenTold}{' '}
          <ClockTime at={next.at} />
        </>
      );
    if (isOutsideHours) return words.neverOutsideHours;
  }
  if (after !== null) return words.after(after === 0 ? null : spanText(micros(after)));
  if (reached === null) return words.nothingYet;
  return (
    <>
      {words.delivered} <ClockTime at={reached} />
    </>
  );
}

/** When it runs, and the next times: in the zone of the page and, if it is another one, in that of the schedule. */
export function ScheduleCard({ check, name }: Props) {
  const style = use(PersonsTimes);
  const { schedule } = check;
  const words = m.check.schedule;
  const zoned = { ...style, tz: schedule.tz ?? style.tz };
  const [first, second] = schedule.due;
  const details = [
    ...(schedule.tz === null ? [] : [schedule.tz]),
    words.grace(spanText(micros(schedule.grace))),
  ].join(' · ');
  return (
    <Card
      title={words.title}
      action={
        check.may.edit && (
          <Link to="/checks/$check/edit/" params={{ check: name }} className="touch text-12 text-link">
            {words.change}
          </Link>
        )
      }
    >
      <p className="font-medium">{schedule.words}</p>
      <p className="text-12 text-ink-3">
        {schedule.expression !== null && (
          <>
            <code>{schedule.expression}</code> ·{' '}
          </>
        )}
        {details}
        {check.onlyPost && ` · ${words.onlyPost}`}
      </p>
      {schedule.hasUnknownRules && <p className="mt-1.5 text-12 text-late">{words.unknownRules}</p>}
      <dl className="mt-2.5 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 text-12 empty:hidden">
        {[
          [first !== undefined && Date.parse(first) < now() ? words.wasDue : words.next, first],
          [words.afterwards, second],
        ].map(
          ([label, at]) =>
            at !== undefined && (
              <div key={label} className="col-span-2 grid grid-cols-subgrid">
                <dt className="text-ink-3">{label}</dt>
                <dd className="text-right">
                  <ClockTime at={at} /> {Date.parse(at) > now() && <Until at={at} className="text-ink-3" />}
                  {schedule.tz !== null && schedule.tz !== style.tz && (
                    <span className="block text-ink-3">{timeIn(schedule.tz, Date.parse(at), style)}</span>
                  )}
                </dd>
              </div>
            ),
        )}
      </dl>
      {schedule.due.length > 2 && (
        <details className="mt-2 text-12">
          <summary className="cursor-pointer text-ink-3">{words.all(schedule.due.length)}</summary>
          <ol className="mt-1.5 grid gap-0.5">
            {schedule.due.map((at) => (
              <li key={at}>
                <time dateTime={at} title={exactTime(Date.parse(at), zoned)}>
                  {exactTime(Date.parse(at), zoned)}
                </time>
              </li>
            ))}
          </ol>
        </details>
      )}
    </Card>
  );
}

/** The uptime of each month. */
export function UptimeCard({ check }: Pick<Props, 'check'>) {
  return (
    <Card title={m.check.uptime.title}>
      {check.months.length === 0 && <p className="text-ink-3">{m.check.uptime.nothingYet}</p>}
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5">
        {check.months.map((month) => (
          <MonthLine key={month.from} month={month} />
        ))}
      </dl>
    </Card>
  );
}

function MonthLine({ month: { from, down } }: { readonly month: Month }) {
  const style = use(PersonsTimes);
  const name = new Intl.DateTimeFormat(style.language ?? 'en-GB', { month: 'long', timeZone: style.tz });
  const words = m.check.uptime;
  return (
    <>
      <dt className="text-ink-3">{name.format(Date.parse(from))}</dt>
      <dd className="text-right" title={down === null ? words.before : undefined}>
        {down === null ? (
          words.none
        ) : (
          <>
            <b className="font-semibold">{down.uptime === null ? words.none : words.percent(down.uptime)}</b>
            {down.count > 0 && (
              <span className="text-12 text-ink-3">
                {' '}
                {words.down(down.count, spanText(micros(down.seconds)))}
              </span>
            )}
          </>
        )}
      </dd>
    </>
  );
}

export function DescriptionCard({ check }: Pick<Props, 'check'>) {
  if (check.description.length === 0) return null;
  return (
    <Card title={m.check.description}>
      <Markdown blocks={check.description} />
    </Card>
  );
}
