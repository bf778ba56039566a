import { useSuspenseQuery } from '@tanstack/react-query';
import { act } from '../../app/act.ts';
import { type Answer, query } from '../../app/read.ts';
import { useAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Section } from '../../ui/section.tsx';
import { Cell, Table, TableRow } from '../../ui/table.tsx';
import { Ago, ClockTime, useNow } from '../../ui/time.tsx';
import { tell } from '../../ui/toasts.tsx';
import { AccountPage } from './account-page.tsx';
import { agentName } from './user-agent.ts';

const t = m.account.sessions;

type Session = Answer<'openSessions'>[number];

const DAY_MS = 86_400_000;
const LONG_UNSEEN_MS = 30 * DAY_MS;

/** The browsers that are signed in, and past sign-ins. */
export function Sessions() {
  return (
    <AccountPage title={m.account.sections.sessions}>
      <ActiveSessions />
      <PastSignIns />
    </AccountPage>
  );
}

function ActiveSessions() {
  const { data: sessions } = useSuspenseQuery(query.openSessions());
  const now = useNow(DAY_MS / 24);
  const others = sessions.filter((session) => !session.isCurrent);
  const old = others.filter(({ lastSeen }) => now - Date.parse(lastSeen) > LONG_UNSEEN_MS);
  const end = useAct(act.endOtherSessions, ({ ended }) => tell(t.othersEnded(ended)));
  return (
    <Section
      title={t.title}
      lead={[t.lead(sessions.length), old.length > 0 && t.old(old.length)].filter(Boolean).join(' ')}
      action={
        others.length > 0 && (
          <Button size="small" isBusy={end.isBusy} onClick={() => end.run()}>
            {t.endOthers(others.length)}
          </Button>
        )
      }
    >
      <Table label={t.title} columns={[t.where, t.seen]} hasActions>
        {sessions.map((session) => (
          <SessionRow key={session.uuid} session={session} isOld={old.includes(session)} />
        ))}
      </Table>
    </Section>
  );
}

function SessionRow({ session, isOld }: { readonly session: Session; readonly isOld: boolean }) {
  const { uuid, isCurrent, created, lastSeen, address, userAgent } = session;
  const name = agentName(userAgent);
  const end = useAct(act.endSession, () => tell(t.ended(name)));
  return (
    <TableRow>
      <Cell isWide>
        <p className="flex items-center gap-1.5 font-medium" title={userAgent}>
          {name} {isCurrent && <Chip>{t.here}</Chip>}
        </p>
        <p className="text-12 text-ink-3">
          {t.since} <ClockTime at={created} />
        </p>
      </Cell>
      <Cell>
        <p className={isOld ? 'font-medium text-late' : ''}>{isCurrent ? t.now : <Ago at={lastSeen} />}</p>
        <p className="text-12 text-ink-3">{address}</p>
      </Cell>
      <Cell isEnd>
        {!isCurrent && (
          <Button
            kind="ghostDanger"
            size="small"
            aria-label={`${t.end} ${name}`}
            isBusy={end.isBusy}
            onClick={() => end.run({ session: uuid })}
          >
            {t.end}
          </Button>
        )}
      </Cell>
    </TableRow>
  );
}

function PastSignIns() {
  const { data: signIns } = useSuspenseQuery(query.lastSignIns());
  return (
    <Section title={t.past} lead={t.pastLead}>
      {signIns.length === 0 ? (
        <p className="text-13 text-ink-3">{t.noPast}</p>
      ) : (
        <ol className="divide-y divide-line rounded-card border border-line">
          {signIns.map((signIn) => (
            <PastSignIn key={`${signIn.at} ${signIn.address}`} signIn={signIn} />
          ))}
        </ol>
      )}
    </Section>
  );
}

function PastSignIn({ signIn }: { readonly signIn: Answer<'lastSignIns'>[number] }) {
  const { at, address, userAgent, with: way, secondFactor } = signIn;
  const ways = [way, secondFactor]
    .filter((one) => one !== null && one !== '')
    .map((one) => t.ways[one ?? ''] ?? one);
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 px-4 py-2">
      <ClockTime at={at} className="w-21 flex-none text-12 text-ink-3" />
      <span className="min-w-0 flex-1 max-md:basis-[60%]">{agentName(userAgent)}</span>
      <span className="text-12 text-ink-3 max-md:ml-25">{ways.join(', ')}</span>
      <span className="text-12 text-ink-3 md:w-30 md:text-right">{address}</span>
    </li>
  );
}
