import { useSuspenseQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { act } from '../../app/act.ts';
import { type Answer, query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Blank } from '../../ui/blank.tsx';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { ConfirmDialog } from '../../ui/form.tsx';
import { LastUse } from '../../ui/last-use.tsx';
import { masked } from '../../ui/masked.ts';
import { Section } from '../../ui/section.tsx';
import { useShownOnce } from '../../ui/shown-once.tsx';
import { Cell, Table, TableRow } from '../../ui/table.tsx';
import { ClockTime } from '../../ui/time.tsx';
import { tell } from '../../ui/toasts.tsx';
import { AccountPage } from './account-page.tsx';
import { NewTokenDialog } from './new-token-dialog.tsx';
import { levelOf } from './token-levels.ts';

const t = m.account.tokens;

type Token = Answer<'accountTokens'>['tokens'][number];

/** Programs that act as the person. */
export function Tokens() {
  const { data } = useSuspenseQuery(query.accountTokens());
  const [isNew, setIsNew] = useState(false);
  const made = useShownOnce();
  const [revoked, setRevoked] = useState<Token | null>(null);
  return (
    <AccountPage title={t.title}>
      <Section
        title={t.title}
        lead={t.lead}
        action={
          <Button size="small" onClick={() => setIsNew(true)}>
            <Plus className="size-4 text-ink-3" />
            {t.add}
          </Button>
        }
      >
        {made.shown}
        {data.tokens.length === 0 ? (
          <Blank title={t.none}>{t.noneLead}</Blank>
        ) : (
          <Table label={t.title} columns={[t.column, t.may, t.used]} hasActions>
            {data.tokens.map((token) => (
              <Row key={token.uuid} token={token} scopes={data.scopes} onRevoke={() => setRevoked(token)} />
            ))}
          </Table>
        )}
      </Section>
      {isNew && (
        <NewTokenDialog
          scopes={data.scopes}
          onMade={({ name, secret }) => made.show(t.ready(name), secret)}
          onClose={() => setIsNew(false)}
        />
      )}
      {revoked !== null && <RevokeDialog token={revoked} onClose={() => setRevoked(null)} />}
    </AccountPage>
  );
}

function Row({
  token,
  scopes,
  onRevoke,
}: {
  readonly token: Token;
  readonly scopes: readonly string[];
  readonly onRevoke: () => void;
}) {
  const level = levelOf(token.scopes, scopes);
  return (
    <TableRow>
      <Cell isWide>
        <p className="font-medium">{token.name}</p>
        <code className="text-12 text-ink-3">{masked(token.token)}</code>
      </Cell>
      <Cell>
        <span title={token.scopes.join(', ')}>
          <Chip>{level === 'custom' ? t.scopes(token.scopes.length) : t.levels[level]}</Chip>
        </span>
        <p className="text-12 text-ink-3">
          {token.projects === null ? t.all : t.some(token.projects.length)}
        </p>
      </Cell>
      <Cell>
        <p>
          <LastUse at={token.lastUsed} label={t.used} never={t.never} />
        </p>
        <p className="text-12 text-ink-3">
          {token.lastUsedAddress !== null && `${token.lastUsedAddress} · `}
          <End token={token} />
        </p>
      </Cell>
      <Cell isEnd>
        <Button kind="ghostDanger" size="small" aria-label={`${t.revoke} ${token.name}`} onClick={onRevoke}>
          {t.revoke}
        </Button>
      </Cell>
    </TableRow>
  );
}

function End({ token: { expires, isExpired } }: { readonly token: Token }) {
  if (expires === null) return t.endless;
  if (isExpired) return <span className="text-late">{t.ended}</span>;
  return (
    <>
      {t.ends} <ClockTime at={expires} />
    </>
  );
}

function RevokeDialog({ token, onClose }: { readonly token: Token; readonly onClose: () => void }) {
  return (
    <ConfirmDialog
      title={t.revokeTitle(token.name)}
      action={t.revokeAction}
      run={() => act.revokeToken({ token: token.uuid })}
      done={() => tell(t.revoked(token.name))}
      onClose={onClose}
    >
      {t.revokeLead}
    </ConfirmDialog>
  );
}
