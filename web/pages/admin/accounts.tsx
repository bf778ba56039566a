import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Ellipsis, UserPlus } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import type { AccountEntryJson } from '../../../src/wire/dashboard/admin-output.ts';
import { post } from '../../app/api.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { PageHead } from '../../ui/page.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { Cell, Table, TableRow } from '../../ui/table.tsx';
import { Ago } from '../../ui/time.tsx';
import { tell, tellError } from '../../ui/toasts.tsx';
import { DeleteAccountDialog, LimitsDialog, NewAccountDialog } from './account-dialogs.tsx';
import { AdminPage } from './admin-page.tsx';
import { useDirectory } from './use-directory.ts';

const t = m.admin.accounts;

interface AccountPage {
  readonly accounts: readonly AccountEntryJson[];
  readonly cursor: number | null;
}

type Asked =
  | { readonly for: 'new' }
  | { readonly for: 'limits' | 'delete'; readonly account: AccountEntryJson };

/** Everybody who has an account on the instance. */
export function Accounts() {
  const [search, setSearch] = useState('');
  const [asked, setAsked] = useState<Asked | null>(null);
  const [link, setLink] = useState<string | null>(null);
  const queries = useQueryClient();
  const found = useDirectory<AccountPage>('accounts', useDeferredValue(search.trim()));
  const accounts = found.data?.pages.flatMap((page) => page.accounts) ?? [];
  const refresh = () => void queries.invalidateQueries({ queryKey: ['admin', 'accounts'] });
  const close = () => {
    setAsked(null);
    refresh();
  };
  return (
    <AdminPage title={t.title}>
      <div className="flex flex-wrap items-end gap-4">
        <div className="min-w-0 flex-1">
          <PageHead title={t.title} />
        </div>
        <Button size="small" onClick={() => setAsked({ for: 'new' })}>
          <UserPlus className="size-8 text-ink-3" strokeWidth={1.5} aria-hidden="true" />
          {t.new}
        </Button>
      </div>
      {link !== null && <ShownOnce title={t.link} secret={link} onStored={() => setLink(null)} />}
      <Field label={t.search} value={search} onChange={(event) => setSearch(event.target.value)} />
      {found.error !== null && <ErrorText>{found.error.message}</ErrorText>}
      <Table
        label={t.title}
        columns={[
          { name: t.account },
          { name: t.has },
          { name: t.seen },
          { name: m.settings.actions, isHidden: true },
        ]}
      >
        {accounts.map((account) => (
          <AccountRow
            key={account.uuid}
            account={account}
            onAsk={(kind) => setAsked({ for: kind, account })}
            onLink={setLink}
            onChanged={refresh}
          />
        ))}
      </Table>
      {found.hasNextPage && (
        <div>
          <Button size="small" isBusy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
            {m.admin.more}
          </Button>
        </div>
      )}
      {asked?.for === 'new' && <NewAccountDialog onLink={setLink} onClose={close} />}
      {asked?.for === 'limits' && <LimitsDialog account={asked.account} onClose={close} />}
      {asked?.for === 'delete' && <DeleteAccountDialog account={asked.account} onClose={close} />}
    </AdminPage>
  );
}

function AccountRow({
  account,
  onAsk,
  onLink,
  onChanged,
}: {
  readonly account: AccountEntryJson;
  readonly onAsk: (kind: 'limits' | 'delete') => void;
  readonly onLink: (link: string) => void;
  readonly onChanged: () => void;
}) {
  return (
    <TableRow>
      <Cell isWide>
        <span className="flex flex-wrap items-center gap-3">
          <span className="truncate font-medium">{account.email}</span>
          {account.is_admin && <Chip>{m.roles.administrator}</Chip>}
          {!account.is_active && <Chip>{t.switchedOff}</Chip>}
        </span>
        <span className="text-12 text-ink-3">
          {account.has_second_factor ? m.settings.team.secondFactor : m.settings.team.noSecondFactor}
        </span>
      </Cell>
      <Cell>
        {t.checks(account.checks, account.limits.checks)}
        <span className="block text-12 text-ink-3">{t.projects(account.projects)}</span>
      </Cell>
      <Cell>{account.last_seen === null ? t.never : <Ago at={account.last_seen} />}</Cell>
      <Cell isEnd>
        <AccountMenu account={account} onAsk={onAsk} onLink={onLink} onChanged={onChanged} />
      </Cell>
    </TableRow>
  );
}

function AccountMenu({
  account,
  onAsk,
  onLink,
  onChanged,
}: {
  readonly account: AccountEntryJson;
  readonly onAsk: (kind: 'limits' | 'delete') => void;
  readonly onLink: (link: string) => void;
  readonly onChanged: () => void;
}) {
  const path = `/admin/accounts/${account.uuid}`;
  const act = useMutation({
    mutationFn: ({ verb }: { readonly verb: string; readonly done: string }) => post(`${path}/${verb}`),
    onSuccess: (_, { done }) => {
      tell(done);
      onChanged();
    },
    onError: (error) => tellError(error.message),
  });
  const makeLink = useMutation({
    mutationFn: () => post<{ readonly link: string }>(`${path}/password-link`),
    onSuccess: ({ link }) => onLink(link),
    onError: (error) => tellError(error.message),
  });
  const item = (verb: string, label: string, done: string) => (
    <MenuItem onSelect={() => act.mutate({ verb, done })}>{label}</MenuItem>
  );
  return (
    <Menu
      label={t.actionsOn(account.email)}
      className="size-13 rounded-[6px] hover:bg-hover max-md:size-20"
      button={<Ellipsis className="mx-auto size-8 text-ink-3" strokeWidth={1.5} aria-hidden="true" />}
    >
      <MenuItem onSelect={() => onAsk('limits')}>{t.limits}</MenuItem>
      <MenuItem onSelect={() => makeLink.mutate()}>{t.passwordLink}</MenuItem>
      {item('end-sessions', t.endSessions, t.sessionsEnded)}
      {account.has_second_factor && item('reset-second-factors', t.resetFactors, t.factorsReset)}
      <MenuLine />
      {account.is_admin
        ? item('revoke-admin', t.revokeAdmin, t.adminRevoked)
        : item('grant-admin', t.grantAdmin, t.adminGranted)}
      {account.is_active
        ? item('deactivate', t.switchOff, t.isSwitchedOff)
        : item('activate', t.switchOn, t.isSwitchedOn)}
      <MenuLine />
      <MenuItem isDangerous onSelect={() => onAsk('delete')}>
        {t.delete}
      </MenuItem>
    </Menu>
  );
}
