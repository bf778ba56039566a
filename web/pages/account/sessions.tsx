import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import type { SessionJson, SignInJson } from '../../../src/wire/dashboard/session-output.ts';
import { post, remove } from '../../app/api.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Section } from '../../ui/section.tsx';
import { Cell, Table, TableRow } from '../../ui/table.tsx';
import { Ago, ClockTime, useNow } from '../../ui/time.tsx';
import { tell, tellError } from '../../ui/toasts.tsx';
import { AccountPage } from './account-page.tsx';
import { sessionsQuery, signInsQuery } from './queries.ts';
import { agentName } from './user-agent.ts';

const t = m.account.sessions;

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
  const { data } = useSuspenseQuery(sessionsQuery);
  const queries = useQueryClient();
  const now = useNow(DAY_MS / 24);
  const others = data.sessions.filter((session) => !session.is_current);
  const old = others.filter(({ last_seen: seen }) => now - Date.parse(seen) > LONG_UNSEEN_MS);
  const end = useMutation({
    mutationFn: () => post<{ readonly ended: number }>('/sessions/end-others'),
    onSuccess: ({ ended }) => {
      tell(t.othersEnded(ended));
      return queries.invalidateQueries(sessionsQuery);
    },
    onError: (error) => tellError(error.message),
  });
  return (
    <Section
      title={t.title}
      lead={[t.lead(data.sessions.length), old.length > 0 && t.old(old.length)].filter(Boolean).join(' ')}
      action={
        others.length > 0 && (
          <Button size="small" isBusy={end.isPending} onClick={() => end.mutate()}>
            {t.endOthers(others.length)}
          </Button>
        )
      }
    >
      <Table
        label={t.title}
        columns={[{ name: t.where }, { name: t.seen }, { name: t.actions, isHidden: true }]}
      >
        {data.sessions.map((session) => (
          <SessionRow key={session.uuid} session={session} isOld={old.includes(session)} />
        ))}
      </Table>
    </Section>
  );
}

function SessionRow({ session, isOld }: { readonly session: SessionJson; readonly isOld: boolean }) {
  const queries = useQueryClient();
  const { uuid, is_current: isCurrent, created, last_seen: seen, address, user_agent: agent } = session;
  const name = agentName(agent);
  const end = useMutation({
    mutationFn: () => remove(`/sessions/${uuid}`),
    onSuccess: () => {
      tell(t.ended(name));
      return queries.invalidateQueries(sessionsQuery);
    },
    onError: (error) => tellError(error.message),
  });
  return (
    <TableRow>
      <Cell isWide>
        <p className="flex items-center gap-3 font-medium" title={agent}>
          {name} {isCurrent && <Chip>{t.here}</Chip>}
        </p>
        <p className="text-12 text-ink-3">
          {t.since} <ClockTime at={created} />
        </p>
      </Cell>
      <Cell>
        <p className={isOld ? 'font-medium text-late' : ''}>{isCurrent ? t.now : <Ago at={seen} />}</p>
        <p className="text-12 text-ink-3">{address}</p>
      </Cell>
      <Cell isEnd>
        {!isCurrent && (
          <Button
            kind="ghost"
            size="small"
            className="text-down!"
            aria-label={`${t.end} ${name}`}
            isBusy={end.isPending}
            onClick={() => end.mutate()}
          >
            {t.end}
          </Button>
        )}
      </Cell>
    </TableRow>
  );
}

function PastSignIns() {
  const { data } = useSuspenseQuery(signInsQuery);
  return (
    <Section title={t.past} lead={t.pastLead}>
      {data.sign_ins.length === 0 ? (
        <p className="text-13 text-ink-3">{t.noPast}</p>
      ) : (
        <ol className="divide-y divide-line rounded-card border border-line">
          {data.sign_ins.map((signIn) => (
            <PastSignIn key={`${signIn.at} ${signIn.address}`} signIn={signIn} />
          ))}
        </ol>
      )}
    </Section>
  );
}

function PastSignIn({ signIn }: { readonly signIn: SignInJson }) {
  const { at, address, user_agent: agent, with: way, second_factor: second } = signIn;
  const ways = [way, second]
    .filter((one) => one !== null && one !== '')
    .map((one) => t.ways[one ?? ''] ?? one);
  return (
    <li className="flex flex-wrap items-baseline gap-x-8 px-8 py-4">
      <ClockTime at={at} className="w-42 flex-none text-12 text-ink-3" />
      <span className="min-w-0 flex-1 max-md:basis-[60%]">{agentName(agent)}</span>
      <span className="text-12 text-ink-3 max-md:ml-50">{ways.join(', ')}</span>
      <span className="text-12 text-ink-3 md:w-60 md:text-right">{address}</span>
    </li>
  );
}
