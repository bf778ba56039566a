import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { FingerprintPattern, KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { PasskeyJson } from '../../../src/wire/dashboard/second-factors-output.ts';
import { post, remove } from '../../app/api.ts';
import { type NewKeyChallenge, signNewKey } from '../../app/passkeys.ts';
import { entranceQuery } from '../../app/queries.ts';
import { useForm } from '../../app/use-form.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { Question } from '../../ui/question.tsx';
import { Section } from '../../ui/section.tsx';
import { Cell, Table, TableRow } from '../../ui/table.tsx';
import { Ago, ClockTime } from '../../ui/time.tsx';
import { tell } from '../../ui/toasts.tsx';
import { factorsQuery, passkeysQuery } from './queries.ts';

const t = m.account.passkeys;

type Kind = 'passkey' | 'security_key';

type Open =
  | { readonly what: 'add'; readonly kind: Kind }
  | { readonly what: 'rename' | 'remove'; readonly passkey: PasskeyJson };

/** Makes stale what shows keys and factors. */
function useRefresh() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ['account'] });
}

/** The keys of the account. `onCodes` shows recovery codes that come with the first one. */
export function Passkeys({ onCodes }: { readonly onCodes: (codes: readonly string[]) => void }) {
  const { data: entrance } = useSuspenseQuery(entranceQuery);
  const { data } = useSuspenseQuery(passkeysQuery);
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  if (!entrance.has_passkeys && data.passkeys.length === 0) return null;
  return (
    <Section
      title={t.title}
      lead={t.lead}
      action={
        entrance.has_passkeys && (
          <div className="flex flex-wrap gap-4">
            <Button size="small" onClick={() => setOpen({ what: 'add', kind: 'security_key' })}>
              {t.addKey}
            </Button>
            <Button size="small" onClick={() => setOpen({ what: 'add', kind: 'passkey' })}>
              <FingerprintPattern className="size-8 text-ink-3" strokeWidth={1.5} aria-hidden="true" />
              {t.add}
            </Button>
          </div>
        )
      }
    >
      {data.passkeys.length === 0 ? (
        <p className="rounded-card border border-line px-8 py-7 text-13 text-ink-2">{t.none}</p>
      ) : (
        <Table
          label={t.title}
          columns={[{ name: t.column }, { name: t.used }, { name: t.actions, isHidden: true }]}
        >
          {data.passkeys.map((passkey) => (
            <Row
              key={passkey.uuid}
              passkey={passkey}
              isLastWay={data.last_way_in === passkey.uuid}
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
  readonly passkey: PasskeyJson;
  readonly isLastWay: boolean;
  readonly onOpen: (what: 'rename' | 'remove') => void;
}) {
  const { kind, name, created, last_used: used } = passkey;
  const Icon = kind === 'passkey' ? FingerprintPattern : KeyRound;
  return (
    <TableRow>
      <Cell isWide>
        <div className="flex items-center gap-5">
          <span className="grid size-14 flex-none place-items-center rounded-control bg-quiet-t">
            <Icon className="size-8 text-ink-2" strokeWidth={1.5} aria-hidden="true" />
          </span>
          <div className="min-w-0">
            <p className="truncate font-medium">{name}</p>
            <p className="text-12 text-ink-3">
              {t.kinds[kind as Kind]} · {t.added} <ClockTime at={created} />
            </p>
          </div>
        </div>
      </Cell>
      <Cell>{used === null ? <span className="text-ink-3">{t.never}</span> : <Ago at={used} />}</Cell>
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
            kind="ghost"
            size="small"
            className="text-down!"
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
  const refresh = useRefresh();
  const form = useForm(
    async ({ name = '' }) => {
      const challenge = await post<NewKeyChallenge>('/account/passkeys/begin', { kind });
      const signed = await signNewKey(challenge);
      return post<{ readonly recovery_codes: readonly string[] | null }>('/account/passkeys', {
        ...signed,
        name,
      });
    },
    ({ recovery_codes: codes }) => {
      void refresh();
      tell(t.isAdded);
      if (codes !== null) onCodes(codes);
      onClose();
    },
  );
  const error = form.otherError('name');
  return (
    <Dialog title={kind === 'passkey' ? t.add : t.addKey} onClose={onClose}>
      <form className="grid gap-6" onSubmit={form.onSubmit} noValidate>
        <Field label={t.name} name="name" hint={t.nameHint} autoFocus error={form.errorOf('name')} />
        <p className="text-13 text-ink-2">{t.createLead}</p>
        {error !== null && <ErrorText>{error}</ErrorText>}
        <DialogActions>
          <Button onClick={onClose}>{m.controls.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={form.isBusy}>
            {t.create}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface KeyDialogProps {
  readonly passkey: PasskeyJson;
  readonly onClose: () => void;
}

function RenameDialog({ passkey, onClose }: KeyDialogProps) {
  const refresh = useRefresh();
  const form = useForm(
    (values) => post(`/account/passkeys/${passkey.uuid}`, values),
    () => {
      void refresh();
      onClose();
    },
  );
  const error = form.otherError('name');
  return (
    <Dialog title={t.nameTitle} onClose={onClose}>
      <form className="grid gap-6" onSubmit={form.onSubmit} noValidate>
        <Field
          label={t.name}
          name="name"
          hint={t.nameHint}
          defaultValue={passkey.name}
          autoFocus
          error={form.errorOf('name')}
        />
        {error !== null && <ErrorText>{error}</ErrorText>}
        <DialogActions>
          <Button onClick={onClose}>{m.controls.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={form.isBusy}>
            {m.controls.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function RemoveDialog({ passkey, onClose }: KeyDialogProps) {
  const refresh = useRefresh();
  const { data: factors } = useSuspenseQuery(factorsQuery);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => remove(`/account/passkeys/${passkey.uuid}`),
    onSuccess: () => {
      void refresh();
      tell(t.removed(passkey.name));
      onClose();
    },
  });
  return (
    <Question
      title={t.removeTitle(passkey.name)}
      action={t.remove}
      error={error?.message ?? null}
      isBusy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      {t.removeLead} {factors.count === 1 && t.removeLast}
    </Question>
  );
}
