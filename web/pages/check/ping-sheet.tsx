import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type ReactNode, use, useEffect, useState } from 'react';
import { seconds as micros } from '../../../src/lib/instant.ts';
import { spanText } from '../../../src/lib/text/ages.ts';
import { m } from '../../messages/index.ts';
import { Blank } from '../../ui/blank.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-field.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ClockTime, PersonsTimes } from '../../ui/time.tsx';
import { exactTime } from '../../ui/times.ts';
import { BodyView } from './body-view.tsx';
import { Lateness, laterBy } from './events.tsx';
import { numberText } from './number-text.ts';
import { pingQuery, type ShownPing } from './queries.ts';
import { Skeletons } from './skeletons.tsx';

export interface OpenSheet {
  /** The ping that the address names. */
  readonly n: number | null;
  readonly open: (n: number) => void;
  readonly close: () => void;
}

/** The sheet is part of the address: `#ping-17` opens ping 17. */
export function usePingSheet(): OpenSheet {
  const navigate = useNavigate();
  const hash = useLocation({ select: (location) => location.hash });
  const [, number] = /^ping-(\d{1,15})$/.exec(hash) ?? [];
  const go = (next: string) =>
    void navigate({
      to: './',
      search: true,
      hash: next,
      replace: number !== undefined,
      resetScroll: false,
      hashScrollIntoView: false,
    });
  return {
    n: number === undefined ? null : Number(number),
    open: (n) => go(`ping-${n}`),
    close: () => go(''),
  };
}

/** All about one ping, beside the page. */
export function PingSheet({
  name,
  sheet,
  words,
}: {
  readonly name: string;
  readonly sheet: OpenSheet;
  readonly words: string;
}) {
  if (sheet.n === null) return null;
  return <Sheet name={name} n={sheet.n} sheet={sheet} words={words} />;
}

function Sheet({
  name,
  n,
  sheet,
  words,
}: {
  readonly name: string;
  readonly n: number;
  readonly sheet: OpenSheet;
  readonly words: string;
}) {
  const { data: ping, isError } = useQuery({ ...pingQuery(name, n), retry: false });
  const title = ping === undefined ? m.check.ping.loading(n) : m.check.ping.title(n, whatOf(ping));
  return (
    <Dialog
      title={title}
      shape="sheet"
      tools={ping !== undefined && <Neighbours ping={ping} sheet={sheet} />}
      onClose={sheet.close}
    >
      {isError && <Blank title={m.check.ping.missing} />}
      {ping === undefined && !isError && <Skeletons />}
      {ping !== undefined && <Details name={name} ping={ping} sheet={sheet} words={words} />}
    </Dialog>
  );
}

export function whatOf({ signal, exitStatus }: ShownPing): string {
  const { events } = m.check;
  if (exitStatus !== null) return events.exitStatus(exitStatus).toLowerCase();
  return events.kinds[signal];
}

type Tab = 'body' | 'others';

function Details({
  name,
  ping,
  sheet,
  words,
}: {
  readonly name: string;
  readonly ping: ShownPing;
  readonly sheet: OpenSheet;
  readonly words: string;
}) {
  const [tab, setTab] = useState<Tab>('body');
  const texts = m.check.ping;
  useArrows(ping, sheet);
  return (
    <>
      <Summary ping={ping} />
      <Facts ping={ping} />
      <Tabs<Tab>
        label={texts.title(ping.n, '')}
        tabs={[
          { name: 'body', label: texts.body },
          { name: 'others', label: texts.others(ping.others.length) },
        ]}
        open={tab}
        onOpen={setTab}
      >
        {tab === 'body' ? (
          <BodyView name={name} ping={ping} words={words} />
        ) : (
          <Others ping={ping} open={sheet.open} />
        )}
      </Tabs>
      <p className="pt-1">
        <Link to="/checks/$check/log/" params={{ check: name }} className="touch text-link">
          {texts.log}
        </Link>
      </p>
    </>
  );
}

/** The arrow keys go to the neighbours, unless something in the sheet uses them. */
function useArrows({ older, newer }: ShownPing, { open }: OpenSheet): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const next = { ArrowLeft: older, ArrowRight: newer }[event.key];
      if (next != null && !event.defaultPrevented) open(next);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [older, newer, open]);
}

function Neighbours({ ping, sheet }: { readonly ping: ShownPing; readonly sheet: OpenSheet }) {
  const words = m.check.ping;
  return (
    <>
      <Neighbour label={words.older} n={ping.older} open={sheet.open}>
        <ChevronLeft className="size-4" />
      </Neighbour>
      <Neighbour label={words.newer} n={ping.newer} open={sheet.open}>
        <ChevronRight className="size-4" />
      </Neighbour>
    </>
  );
}

function Neighbour({
  label,
  n,
  open,
  children,
}: {
  readonly label: string;
  readonly n: number | null;
  readonly open: (n: number) => void;
  readonly children: ReactNode;
}) {
  return (
    <Button
      kind="ghost"
      size="smallIcon"
      aria-label={label}
      disabled={n === null}
      onClick={() => n !== null && open(n)}
    >
      {children}
    </Button>
  );
}

/** The time, the duration of the run, and the change of status. */
function Summary({ ping }: { readonly ping: ShownPing }) {
  const words = m.check.ping;
  const { duration, usual, flip, at, occurred } = ping;
  return (
    <p className="text-ink-2">
      {occurred === undefined ? words.came : words.occurred}{' '}
      <ClockTime at={occurred ?? at} hasSeconds className="font-semibold text-ink" />
      {duration !== null && `, ${words.afterStart(spanText(micros(duration)))}`}
      {duration !== null && usual !== null && ` (${words.usually(spanText(micros(usual)))})`}.
      {occurred !== undefined && ` ${words.cameLater(laterBy(at, occurred))}`}
      {flip !== null && (
        <>
          {' '}
          {words.turned}{' '}
          <b className={flip.newStatus === 'down' ? 'text-down' : 'text-up'}>
            {m.check.events.statuses[flip.newStatus]}
          </b>
          .
        </>
      )}
    </p>
  );
}

function Facts({ ping }: { readonly ping: ShownPing }) {
  const style = use(PersonsTimes);
  const words = m.check.ping;
  const source =
    ping.scheme === 'email'
      ? m.check.events.byMail
      : [ping.method, ping.from ?? '', ping.scheme.toUpperCase()].filter((part) => part !== '').join(' · ');
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-12">
      <dt className="text-ink-3">{words.received}</dt>
      <dd className="text-right">{exactTime(Date.parse(ping.at), style)}</dd>
      {ping.occurred !== undefined && (
        <>
          <dt className="text-ink-3">{words.occurred}</dt>
          <dd className="text-right">{exactTime(Date.parse(ping.occurred), style)}</dd>
        </>
      )}
      {ping.numbers.length > 0 && (
        <>
          <dt className="text-ink-3">{words.numbers}</dt>
          <dd>
            <ul className="flex flex-wrap justify-end gap-x-3">
              {ping.numbers.map(({ name, value }) => (
                <li key={name} className="[overflow-wrap:anywhere]">
                  <code className="text-ink-3">{name}</code>{' '}
                  <b className="font-semibold">{numberText(name, value)}</b>
                </li>
              ))}
            </ul>
          </dd>
        </>
      )}
      {ping.runId !== null && (
        <>
          <dt className="self-center text-ink-3">{words.runId}</dt>
          <dd className="flex items-center justify-end gap-2 [overflow-wrap:anywhere]">
            <code>{ping.runId}</code>
            <CopyButton size="small" text={ping.runId} />
          </dd>
        </>
      )}
      <dt className="text-ink-3">{words.source}</dt>
      <dd className="text-right [overflow-wrap:anywhere]">{source}</dd>
      {ping.userAgent !== '' && (
        <>
          <dt className="text-ink-3">{words.agent}</dt>
          <dd className="text-right [overflow-wrap:anywhere]">{ping.userAgent}</dd>
        </>
      )}
    </dl>
  );
}

function Others({ ping, open }: { readonly ping: ShownPing; readonly open: (n: number) => void }) {
  const { events } = m.check;
  if (ping.others.length === 0) return <p className="text-ink-3">{m.check.ping.noOthers}</p>;
  return (
    <ul className="grid gap-1">
      {ping.others.map((other) => (
        <li key={other.n} className="flex items-center gap-3 max-md:min-h-11">
          <ClockTime at={other.at} hasSeconds className="font-mono text-12 text-ink-3" />
          <button type="button" className="text-link" onClick={() => open(other.n)}>
            {events.number(other.n)} {events.kinds[other.signal]}
            {other.size > 0 && ` · ${events.bytes(other.size)}`}
          </button>
          <span className="text-12 text-ink-3">
            <Lateness {...other} />
          </span>
        </li>
      ))}
    </ul>
  );
}
