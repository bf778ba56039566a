import { Ellipsis, UserPlus } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { act } from '../../app/act.ts';
import { read } from '../../app/read.ts';
import { useAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Refusal } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { LastUse } from '../../ui/last-use.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { MoreButton } from '../../ui/more-button.tsx';
import { PageHead } from '../../ui/page.tsx';
import { useShownOnce } from '../../ui/shown-once.tsx';
import { Cell, Table, TableRow } from '../../ui/table.tsx';
import { tell } from '../../ui/toasts.tsx';
import { type Account, DeleteAccountDialog, LimitsDialog, NewAccountDialog } from './account-dialogs.tsx';
import { AdminPage } from './admin-page.tsx';
import { useDirectory } from './use-directory.ts';

const t = m.admin.accounts;

type Asked = { readonly for: 'new' } | { readonly for: 'limits' | 'delete'; readonly account: Account };

/** Everybody who has an account on the instance. */
export function Accounts() {
  const [search, setSearch] = useState('');
  const [asked, setAsked] = useState<Asked | null>(null);
  const links = useShownOnce();
  const showLink = (link: string) => links.show(t.link, link);
  const found = useDirectory('accounts', useDeferredValue(search.trim()), read.accountDirectory);
  const accounts = found.data?.pages.flatMap((page) => page.accounts) ?? [];
  const close = () => setAsked(null);
  return (
    <AdminPage title={t.title}>
      <div className="flex flex-wrap items-end gap-2">
        <div className="min-w-0 flex-1">
          <PageHead title={t.title} />
        </div>
        <Button size="small" onClick={() => setAsked({ for: 'new' })}>
          <UserPlus className="size-4 text-ink-3" />
          {t.new}
        </Button>
      </div>
      {links.shown}
      <Field label={t.search} value={search} onChange={(event) => setSearch(event.target.value)} />
      <Refusal error={found.error} />
      <Table label={t.title} columns={[t.account, t.has, t.seen]} hasActions>
        {accounts.map((account) => (
          <AccountRow
            key={account.uuid}
            account={account}
            onAsk={(kind) => setAsked({ for: kind, account })}
            onLink={showLink}
          />
        ))}
      </Table>
      <MoreButton list={found}>{m.admin.more}</MoreButton>
      {asked?.for === 'new' && <NewAccountDialog onLink={showLink} onClose={close} />}
      {asked?.for === 'limits' && <LimitsDialog account={asked.account} onClose={close} />}
      {asked?.for === 'delete' && <DeleteAccountDialog account={asked.account} onClose={close} />}
    </AdminPage>
  );
}

function AccountRow({
  account,
  onAsk,
  onLink,
}: {
  readonly account: Account;
  readonly onAsk: (kind: 'limits' | 'delete') => void;
  readonly onLink: (link: string) => void;
}) {
  return (
    <TableRow>
      <Cell isWide>
        <span className="flex flex-wrap items-center gap-1.5">
          <span className="truncate font-medium">{account.email}</span>
          {account.isAdmin && <Chip>{m.roles.administrator}</Chip>}
          {!account.isActive && <Chip>{t.switchedOff}</Chip>}
        </span>
        <span className="text-12 text-ink-3">
          {account.hasSecondFactor ? m.settings.team.secondFactor : m.settings.team.noSecondFactor}
        </span>
      </Cell>
      <Cell>
        {t.checks(account.checks, account.limits.checks)}
        <span className="block text-12 text-ink-3">{t.projects(account.projects)}</span>
      </Cell>
      <Cell>
        <LastUse at={account.lastSeen} label={t.seen} never={t.never} />
      </Cell>
      <Cell isEnd>
        <AccountMenu account={account} onAsk={onAsk} onLink={onLink} />
      </Cell>
    </TableRow>
  );
}

function AccountMenu({
  account,
  onAsk,
  onLink,
}: {
  readonly account: Account;
  readonly onAsk: (kind: 'limits' | 'delete') => void;
  readonly onLink: (link: string) => void;
}) {
  const on = { account: account.uuid };
  const administer = useAct(
    (run: (given: typeof on) => Promise<void>, _done: string) => run(on),
    (_answer, _run, done) => tell(done),
  );
  const makeLink = useAct(act.offerPassword, ({ link }) => onLink(link));
  const item = (run: (given: typeof on) => Promise<void>, label: string, done: string) => (
    <MenuItem onSelect={() => administer.run(run, done)}>{label}</MenuItem>
  );
  return (
    <Menu
      label={t.actionsOn(account.email)}
      className="size-6.5 rounded-[6px] hover:bg-hover max-md:size-10"
      button={<Ellipsis className="mx-auto size-4 text-ink-3" />}
    >
      <MenuItem onSelect={() => onAsk('limits')}>{t.limits}</MenuItem>
      <MenuItem onSelect={() => makeLink.run(on)}>{t.passwordLink}</MenuItem>
      {item(act.endAllSessions, t.endSessions, t.sessionsEnded)}
      {account.hasSecondFactor && item(act.removeSecondFactors, t.resetFactors, t.factorsReset)}
      <MenuLine />
      {account.isAdmin
        ? item(act.unmakeAdministrator, t.revokeAdmin, t.adminRevoked)
        : item(act.makeAdministrator, t.grantAdmin, t.adminGranted)}
      {account.isActive
        ? item(act.deactivateAccount, t.switchOff, t.isSwitchedOff)
        : item(act.activateAccount, t.switchOn, t.isSwitchedOn)}
      <MenuLine />
      <MenuItem isDangerous onSelect={() => onAsk('delete')}>
        {t.delete}
      </MenuItem>
    </Menu>
  );
}
