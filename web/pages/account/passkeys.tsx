import { useSuspenseQuery } from '@tanstack/react-query';
import { FingerprintPattern, KeyRound } from 'lucide-react';
import { useState } from 'react';
import { act } from '../../app/act.ts';
import { signNewKey } from '../../app/passkeys.ts';
import { type Answer, query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/form.tsx';
import { LastUse } from '../../ui/last-use.tsx';
import { Section } from '../../ui/section.tsx';
import { Cell, Table, TableRow } from '../../ui/table.tsx';
import { ClockTime } from '../../ui/time.tsx';
import { tell } from '../../ui/toasts.tsx';

const t = m.account.passkeys;

type Passkey = Answer<'passkeys'>['passkeys'][number];
type Kind = Passkey['kind'];

type Open =
  | { readonly what: 'add'; readonly kind: Kind }
  | { readonly what: 'rename' | 'remove'; readonly passkey: Passkey };

/** The keys of the account. `onCodes` shows recovery codes that come with the first one. */
export function Passkeys({ onCodes }: { readonly onCodes: (codes: readonly string[]) => void }) {
  const { data: entrance } = useSuspenseQuery(query.entrance());
  const { data } = useSuspenseQuery(query.passkeys());
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  if (!entrance.hasPasskeys && data.passkeys.length === 0) return null;
  return (
    <Section
      title={t.title}
      lead={t.lead}
      action={
        entrance.hasPasskeys && (
          <div className="flex flex-wrap gap-2">
            <Button size="small" onClick={() => setOpen({ what: 'add', kind: 'security_key' })}>
              {t.addKey}
            </Button>
            <Button size="small" onClick={() => setOpen({ what: 'add', kind: 'passkey' })}>
              <FingerprintPattern className="size-4 text-ink-3" />
              {t.add}
            </Button>
          </div>
        )
      }
    >
      {data.passkeys.length === 0 ? (
        <p className="rounded-card border border-line px-4 py-3.5 text-13 text-ink-2">{t.none}</p>
      ) : (
        <Table label={t.title} columns={[t.column, t.used]} hasActions>
          {data.passkeys.map((passkey) => (
            <Row
              key={passkey.uuid}
              passkey={passkey}
              isLastWay={data.lastWayIn === passkey.uuid}
              onOpen={(what) => setOpen({ what, passkey })}
            />
          ))}
        </Table>
      )}
      {open?.what === 'add' && <AddDialog kind={open.kind} onClose={close} onCodes={onCodes} />}
      {open?.what === 'rename' && <RenameDialog passkey={open.passkey} onClose={close} />}
      {open?.what === 'remove' && <RemoveDialog passkey={open.passkey} onClose={close} />}
    </Section>
  );
}

function Row({
  passkey,
  isLastWay,
  onOpen,
}: {
  readonly passkey: Passkey;
  readonly isLastWay: boolean;
  readonly onOpen: (what: 'rename' | 'remove') => void;
}) {
  const { kind, name, created, lastUsed } = passkey;
  const Icon = kind === 'passkey' ? FingerprintPattern : KeyRound;
  return (
    <TableRow>
      <Cell isWide>
        <div className="flex items-center gap-2.5">
          <span className="grid size-7 flex-none place-items-center rounded-control bg-quiet-t">
            <Icon className="size-4 text-ink-2" />
          </span>
          <div className="min-w-0">
            <p className="truncate font-medium">{name}</p>
            <p className="text-12 text-ink-3">
              {t.kinds[kind]} · {t.added} <ClockTime at={created} />
            </p>
          </div>
        </div>
      </Cell>
      <Cell>
        <LastUse at={lastUsed} label={t.used} never={t.never} />
      </Cell>
      <Cell isEnd>
        <Button kind="ghost" size="small" aria-label={`${t.rename} ${name}`} onClick={() => onOpen('rename')}>
          {t.rename}
        </Button>
        {isLastWay ? (
          <span className="block max-w-[180px] text-12 whitespace-normal text-ink-3 md:ml-auto">
            {t.lastWay}
          </span>
        ) : (
          <Button
            kind="ghostDanger"
            size="small"
            aria-label={`${t.remove} ${name}`}
            onClick={() => onOpen('remove')}
          >
            {t.remove}
          </Button>
        )}
      </Cell>
    </TableRow>
  );
}

function AddDialog({
  kind,
  onClose,
  onCodes,
}: {
  readonly kind: Kind;
  readonly onClose: () => void;
  readonly onCodes: (codes: readonly string[]) => void;
}) {
  return (
    <FormDialog
      title={kind === 'passkey' ? t.add : t.addKey}
      action={t.create}
      send={async ({ name = '' }) =>
        act.addPasskey({ ...(await signNewKey(await act.beginPasskey({ kind }))), name })
      }
      done={({ recoveryCodes }) => {
        tell(t.isAdded);
        if (recoveryCodes !== null) onCodes(recoveryCodes);
      }}
      noValidate
      onClose={onClose}
    >
      <Field label={t.name} name="name" hint={t.nameHint} />
      <p className="text-13 text-ink-2">{t.createLead}</p>
    </FormDialog>
  );
}

interface KeyDialogProps {
  readonly passkey: Passkey;
  readonly onClose: () => void;
}

function RenameDialog({ passkey, onClose }: KeyDialogProps) {
  return (
    <FormDialog
      title={t.nameTitle}
      action={m.controls.save}
      send={({ name = '' }) => act.renamePasskey({ passkey: passkey.uuid, name })}
      noValidate
      onClose={onClose}
    >
      <Field label={t.name} name="name" hint={t.nameHint} defaultValue={passkey.name} />
    </FormDialog>
  );
}

function RemoveDialog({ passkey, onClose }: KeyDialogProps) {
  const { data: factors } = useSuspenseQuery(query.secondFactors());
  return (
    <ConfirmDialog
      title={t.removeTitle(passkey.name)}
      action={t.remove}
      run={() => act.removePasskey({ passkey: passkey.uuid })}
      done={() => tell(t.removed(passkey.name))}
      onClose={onClose}
    >
      {t.removeLead} {factors.count === 1 && t.removeLast}
    </ConfirmDialog>
  );
}
