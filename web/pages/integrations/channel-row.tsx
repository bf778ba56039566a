import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { act } from '../../app/act.ts';
import { shownName } from '../../app/channel-names.ts';
import { useShownAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Refusal } from '../../ui/error-text.tsx';
import { Cell, TableRow } from '../../ui/table.tsx';
import { Ago, ClockTime, Until } from '../../ui/time.tsx';
import { tell } from '../../ui/toasts.tsx';
import { DeliveryStrip } from './delivery-strip.tsx';
import { HealthPill } from './health-pill.tsx';
import { KindTile } from './kind-tile.tsx';
import type { Channel } from './queries.ts';
import { TestAnswer } from './test-answer.tsx';

const words = m.integrations;

const COLUMNS = 7;

export function ChannelRow({
  channel,
  checks,
  isWriter,
}: {
  readonly channel: Channel;
  /** The number of checks in the project. */
  readonly checks: number;
  readonly isWriter: boolean;
}) {
  const { project } = useParams({ from: '/signed-in/projects/$project' });
  const test = useShownAct(act.testChannel);
  const hurry = useShownAct(act.hurryAlerts, ({ alerts }) => tell(words.test.tried(alerts)));
  return (
    <>
      <TableRow>
        <Cell isWide>
          <ChannelTitle channel={channel} project={project} />
        </Cell>
        <Cell>
          <HealthPill health={channel.health} />
        </Cell>
        <Cell isExtra>
          <DeliveryStrip marks={channel.strip} />
        </Cell>
        <Cell isWide>
          <LastAlert channel={channel} />
        </Cell>
        <Cell isExtra>
          <span className="whitespace-nowrap">
            {words.checks(channel.checks, checks)}
            <span className="md:sr-only"> {words.checksOnPhones}</span>
          </span>
        </Cell>
        <Cell isExtra>
          <span className="whitespace-nowrap">{eventWords(channel.events)}</span>
        </Cell>
        {isWriter && (
          <Cell isEnd>
            {channel.waiting > 0 && (
              <Button
                size="small"
                className="mr-2"
                aria-label={words.test.tryNowTo(shownName(channel))}
                isBusy={hurry.isBusy}
                onClick={() => hurry.run({ project, channel: channel.id })}
              >
                {words.test.tryNow}
              </Button>
            )}
            <Button
              size="small"
              aria-label={words.test.sendTo(shownName(channel))}
              isBusy={test.isBusy}
              onClick={() => test.run({ project, channel: channel.id })}
            >
              {words.test.send}
            </Button>
          </Cell>
        )}
      </TableRow>
      {(test.answer !== undefined || test.error !== null || hurry.error !== null) && (
        <TableRow>
          <Cell isWide span={COLUMNS}>
            {test.answer !== undefined && <TestAnswer result={test.answer} />}
            <Refusal error={test.error ?? hurry.error} />
          </Cell>
        </TableRow>
      )}
    </>
  );
}

function ChannelTitle({ channel, project }: { readonly channel: Channel; readonly project: string }) {
  const { name, label, target, quota } = channel;
  const below = [...(name === '' ? [] : [label]), target].filter((part) => part !== '').join(' · ');
  return (
    <div className="flex min-w-0 items-center gap-3">
      <KindTile kind={channel} />
      <div className="min-w-0">
        <Link
          to="/projects/$project/integrations/$channel/"
          params={{ project, channel: channel.id }}
          resetScroll={false}
          className="font-medium wrap-anywhere hover:underline"
        >
          {shownName(channel)}
        </Link>
        <p className="text-12 wrap-anywhere text-ink-3">{below}</p>
        {quota !== null && (
          <p className={`text-12 ${quota.used >= quota.limit ? 'text-down' : 'text-ink-3'}`}>
            {words.used(quota.used, quota.limit)}
          </p>
        )}
      </div>
    </div>
  );
}

/** Both ways to go down are one word where both are told. */
function eventWords(events: Channel['events']): string {
  const isAnyDown = events.includes('down_timeout') && events.includes('down_fail');
  const others = isAnyDown
    ? events.filter((event) => event !== 'down_timeout' && event !== 'down_fail')
    : events;
  return [...(isAnyDown ? (['down'] as const) : []), ...others]
    .map((event) => words.events[event])
    .join(', ');
}

function TwoLines({
  colour = '',
  first,
  children,
}: {
  readonly colour?: string;
  readonly first: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <div className="md:min-w-45 xl:min-w-60">
      <p className={`wrap-anywhere ${colour}`}>{first}</p>
      <p className="text-12 text-ink-3">{children}</p>
    </div>
  );
}

/** The last alert, or why none arrives, in words. */
function LastAlert({ channel }: { readonly channel: Channel }) {
  const { health, off, last, lastError: error, failingSince: since, waiting } = channel;
  const { last: say } = words;
  if (off !== null)
    return (
      <TwoLines colour="text-down" first={off.error === '' ? off.text : off.error}>
        {off.since !== null && (
          <>
            {say.offSince} <ClockTime at={off.since} />
          </>
        )}
      </TwoLines>
    );
  if (health === 'unconfirmed') return <TwoLines first={say.unconfirmed}>{say.unconfirmedLead}</TwoLines>;
  if (health === 'failing')
    return (
      <TwoLines colour="text-late" first={error}>
        {since !== null && (
          <>
            {say.failingSince} <ClockTime at={since} />
          </>
        )}
        {waiting > 0 && ` · ${say.waiting(waiting)}`}
        {last?.nextAttempt && (
          <>
            {' · '}
            <span className="whitespace-nowrap">
              {say.nextTry} <Until at={last.nextAttempt} />
            </span>
          </>
        )}
      </TwoLines>
    );
  if (last === null) return <span className="text-ink-3">{say.none}</span>;
  return (
    <TwoLines
      first={
        <>
          {say[last.state]} <ClockTime at={last.at} />
        </>
      }
    >
      {last.check} · <Ago at={last.at} />
    </TwoLines>
  );
}
