import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { act } from '../../app/act.ts';
import { type Answer, query } from '../../app/read.ts';
import { useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { AddButton } from '../../ui/add-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { ConfirmDialog } from '../../ui/form.tsx';
import { LastUse } from '../../ui/last-use.tsx';
import { masked } from '../../ui/masked.ts';
import { Section } from '../../ui/section.tsx';
import { useShownOnce } from '../../ui/shown-once.tsx';
import { Cell, Table, TableRow } from '../../ui/table.tsx';
import { ClockTime } from '../../ui/time.tsx';
import { Dialects, JobDeclarations } from './dialects.tsx';
import { type MadeKey, NewKeyDialog, RotateDialog } from './key-dialogs.tsx';
import { PingKey } from './ping-key.tsx';
import { SettingsPage } from './settings-page.tsx';

const t = m.settings.keys;

export type Key = Answer<'projectKeys'>[number];

type Asked = { readonly for: 'new' } | { readonly for: 'rotate' | 'revoke'; readonly key: Key };

/** The keys of the project. A key itself is shown once, when it is made. */
export function Keys() {
  const { uuid } = useProject();
  const { data: keys } = useSuspenseQuery(query.projectKeys({ project: uuid }));
  const [asked, setAsked] = useState<Asked | null>(null);
  const made = useShownOnce();
  const showKey = ({ name, secret }: MadeKey) => made.show(t.ready(name), secret);
  const close = () => setAsked(null);
  return (
    <SettingsPage title={t.title}>
      <Section title={t.api} lead={t.apiLead}>
        {made.shown}
        {keys.length === 0 ? (
          <p className="text-ink-2">{t.none}</p>
        ) : (
          <Table label={t.api} columns={[t.key, t.may, t.used]} hasActions>
            {keys.map((key) => (
              <KeyRow
                key={key.uuid}
                apiKey={key}
                onRotate={() => setAsked({ for: 'rotate', key })}
                onRevoke={() => setAsked({ for: 'revoke', key })}
              />
            ))}
          </Table>
        )}
        <AddButton label={t.new} onAdd={() => setAsked({ for: 'new' })} />
      </Section>
      <PingKey project={uuid} />
      <JobDeclarations project={uuid} />
      <Dialects project={uuid} />
      {asked?.for === 'new' && <NewKeyDialog project={uuid} onMade={showKey} onClose={close} />}
      {asked?.for === 'rotate' && (
        <RotateDialog project={uuid} apiKey={asked.key} onMade={showKey} onClose={close} />
      )}
      {asked?.for === 'revoke' && (
        <ConfirmDialog
          title={t.revokeTitle(asked.key.name)}
          action={t.revoke}
          run={() => act.revokeKey({ project: uuid, key: asked.key.uuid })}
          onClose={close}
        >
          {t.revokeLead}
        </ConfirmDialog>
      )}
    </SettingsPage>
  );
}

function KeyRow({
  apiKey,
  onRotate,
  onRevoke,
}: {
  readonly apiKey: Key;
  readonly onRotate: () => void;
  readonly onRevoke: () => void;
}) {
  return (
    <TableRow>
      <Cell isWide>
        <span className="block truncate font-medium">{apiKey.name}</span>
        <code className="text-12 text-ink-3">{masked(apiKey.key)}</code>
      </Cell>
      <Cell>
        <Chip>{t.kinds[apiKey.kind]}</Chip>
      </Cell>
      <Cell isWide>
        <span className="block">
          <LastUse at={apiKey.lastUsed} label={t.used} never={t.never} />
        </span>
        <span className="text-12 text-ink-3">
          <KeyFacts apiKey={apiKey} />
        </span>
      </Cell>
      <Cell isEnd>
        <Button kind="ghost" size="small" onClick={onRotate}>
          {t.rotate}
        </Button>
        <Button kind="ghostDanger" size="small" onClick={onRevoke}>
          {t.revoke}
        </Button>
      </Cell>
    </TableRow>
  );
}

/** From where it was used, who made it, and when it ends. */
function KeyFacts({ apiKey }: { readonly apiKey: Key }) {
  const { lastUsedAddress: address, created, createdBy: by, expires, isExpired } = apiKey;
  return (
    <>
      {address === null ? (
        <>
          {t.created} <ClockTime at={created} />
          {by !== null && ` ${t.by(by)}`}
        </>
      ) : (
        t.from(address)
      )}
      {expires !== null && (
        <>
          {' · '}
          {isExpired ? t.ended : t.ends} <ClockTime at={expires} />
        </>
      )}
    </>
  );
}
