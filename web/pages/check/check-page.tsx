import { Link, useNavigate } from '@tanstack/react-router';
import { FailedPart } from '../../app/failed-part.tsx';
import { useShortcuts } from '../../app/shortcuts.ts';
import { m } from '../../messages/index.ts';
import { Blank } from '../../ui/blank.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { copyText } from '../../ui/copy-field.tsx';
import { Page } from '../../ui/page.tsx';
import { PersonsTimes } from '../../ui/time.tsx';
import { useCheck } from './check-layout.tsx';
import { EventRows } from './events.tsx';
import { ForeignCard } from './foreign-card.tsx';
import { Fuse } from './fuse.tsx';
import { Hero, isUnanswered, nameOf, titleOf, useAnswering } from './hero.tsx';
import { HistoryCard } from './history-card.tsx';
import { OriginsCard, TimingHint } from './origins.tsx';
import { OutputCard } from './output-card.tsx';
import { PingItCard } from './ping-it.tsx';
import { PingSheet, usePingSheet } from './ping-sheet.tsx';
import type { ShownCheck } from './queries.ts';
import { RunsCard } from './runs-card.tsx';
import { DescriptionCard, ScheduleCard, ToldCard, UptimeCard } from './side-cards.tsx';
import { Skeletons } from './skeletons.tsx';
import { useEventLog } from './use-event-log.ts';
import { useZone, ZoneSwitch } from './zones.tsx';

/** Events that the page of a check shows; the log has all. */
const SHOWN_EVENTS = 20;

/** The whole story of one job. */
export function CheckPage() {
  const { ref, check } = useCheck();
  const sheet = usePingSheet();
  const name = nameOf(check);
  const answering = useAnswering(ref, check);
  useKeys(ref, check, answering);
  const isNew = check.status === 'new' && check.pings === 0;
  const isDown = check.status === 'down';
  return (
    <Page
      title={titleOf(check)}
      name={name}
      project={{ name: check.project.name, uuid: check.project.id }}
      above={[
        { label: m.shell.checks, to: '/projects/$project/checks/', params: { project: check.project.id } },
      ]}
    >
      <Hero check={check} name={ref} answering={answering} />
      <TimingHint check={check} name={ref} />
      {isDown && (
        // They tell what to do now, and what has happened.
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4 px-6 pb-4 empty:hidden max-md:px-4">
          <DescriptionCard check={check} />
          {check.output !== null && <OutputCard name={ref} n={check.output} onOpen={sheet.open} />}
        </div>
      )}
      {isNew ? <Waiting check={check} /> : check.fuse.length > 0 && <Fuse check={check} />}
      <div className="grid items-start gap-4 px-6 pt-4 pb-6 max-md:px-4 lg:grid-cols-[minmax(0,1fr)_348px]">
        <div className="grid min-w-0 gap-4">
          {isNew && <PingItCard check={check} />}
          <RunsCard check={check} onOpen={sheet.open} />
          <EventsCard name={ref} check={check} onOpen={sheet.open} />
        </div>
        <aside className="grid min-w-0 gap-4" aria-label={m.check.about}>
          <ToldCard check={check} name={ref} />
          <ScheduleCard check={check} name={ref} />
          <OriginsCard check={check} name={ref} />
          {!isNew && <PingItCard check={check} />}
          <ForeignCard check={check} name={ref} />
          <UptimeCard check={check} />
          {!isDown && <DescriptionCard check={check} />}
          <HistoryCard check={check} name={ref} />
        </aside>
      </div>
      <PingSheet name={ref} sheet={sheet} words="" />
    </Page>
  );
}

function Waiting({ check }: { readonly check: ShownCheck }) {
  return (
    <section className="mx-6 rounded-card border border-line bg-sunken px-5 py-4 max-md:mx-4">
      <p className="font-semibold">{m.check.waiting}</p>
      <p className="text-ink-2">{check.may.ping ? m.check.waitingLead : m.check.waitingReadOnly}</p>
    </section>
  );
}

function EventsCard({
  name,
  check,
  onOpen,
}: {
  readonly name: string;
  readonly check: ShownCheck;
  readonly onOpen: (n: number) => void;
}) {
  const zone = useZone(check);
  const { head, events, fresh, waiting, showWaiting } = useEventLog(name, 'view=runs', true);
  return (
    <Card title={m.check.events.title} action={<ZoneSwitch {...zone} />}>
      <PersonsTimes value={zone.style}>
        <div className="-mx-4 -mb-3">
          {waiting > 0 && <NewEvents count={waiting} onShow={showWaiting} />}
          {events === null && head.isError && (
            <FailedPart title={m.check.events.failed} error={head.error} tryAgain={head.refetch} />
          )}
          {events === null && !head.isError && <Skeletons />}
          {events?.length === 0 && <Blank title={m.check.events.none}>{m.check.events.noneLead}</Blank>}
          {events !== null && events.length > 0 && (
            <>
              <EventRows
                events={events.slice(0, SHOWN_EVENTS)}
                name={name}
                mayRetry={check.may.retry}
                words=""
                fresh={fresh}
                onOpen={onOpen}
              />
              <p className="px-4 pt-2 pb-1">
                <Link to="/checks/$check/log/" params={{ check: name }} className="touch text-link">
                  {m.check.events.all}
                </Link>
              </p>
            </>
          )}
        </div>
      </PersonsTimes>
    </Card>
  );
}

export function NewEvents({ count, onShow }: { readonly count: number; readonly onShow: () => void }) {
  return (
    <p className="sticky top-2 z-10 flex justify-center py-1.5" role="status">
      <Button
        size="small"
        kind="primary"
        onClick={() => {
          onShow();
          scrollTo({ top: 0 });
        }}
      >
        {m.check.events.newOnes(count)}
      </Button>
    </p>
  );
}

function useKeys(name: string, check: ShownCheck, answering: ReturnType<typeof useAnswering>): void {
  const { may, pingUrl } = check;
  const navigate = useNavigate();
  const words = m.check.keys;
  useShortcuts(m.check.keys.group, [
    ...(may.answer && isUnanswered(check)
      ? [{ keys: 'a', label: words.acknowledge, action: answering.acknowledge }]
      : []),
    ...(may.answer && check.status !== 'paused'
      ? [{ keys: 's', label: words.snooze, action: () => answering.askSnooze('hour') }]
      : []),
    ...(may.edit
      ? [
          {
            keys: 'e',
            label: m.check.keys.edit,
            action: () => void navigate({ to: '/checks/$check/edit/', params: { check: name } }),
          },
        ]
      : []),
    ...(pingUrl === null
      ? []
      : [{ keys: 'y', label: m.check.keys.copy, action: () => void copyText(pingUrl) }]),
  ]);
}
