import { use } from 'react';
import type { KeyJson, MadeKeyJson } from '../../../src/wire/dashboard/key-output.ts';
import { useForm } from '../../app/use-form.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { PersonsTimes } from '../../ui/time.tsx';
import { instantOf, type TimeStyle } from '../../ui/times.ts';

const t = m.settings.keys;

interface MakeProps {
  readonly send: (values: object) => Promise<MadeKeyJson>;
  readonly onMade: (key: MadeKeyJson) => void;
  readonly onClose: () => void;
}

/** The last day on which a key works, as the form has it, becomes a time for the server. */
function endOf(day: string | undefined, style: TimeStyle): string | null {
  const at = instantOf(`${day ?? ''}T23:59:59`, style);
  return at === null ? null : new Date(at).toISOString();
}

export function NewKeyDialog({ send, onMade, onClose }: MakeProps) {
  const style = use(PersonsTimes);
  const form = useForm(
    ({ name, kind, expires }) => send({ name, kind, expires: endOf(expires, style) }),
    onMade,
  );
  const error = form.otherError('name', 'expires');
  return (
    <Dialog title={t.new} onClose={onClose}>
      <form className="grid gap-7" onSubmit={form.onSubmit}>
        <Field
          label={t.name}
          hint={t.nameHint}
          name="name"
          maxLength={100}
          required
          autoComplete="off"
          error={form.errorOf('name')}
        />
        <Select label={t.may} name="kind" defaultValue="read_write">
          <option value="read_write">{t.kinds.read_write}</option>
          <option value="read_only">{t.kinds.read_only}</option>
        </Select>
        <Field label={t.end} hint={t.endHint} name="expires" type="date" error={form.errorOf('expires')} />
        {error !== null && <ErrorText>{error}</ErrorText>}
        <DialogActions>
          <Button onClick={onClose}>{m.controls.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            {t.make}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** A new key in the place of an old one, which stays valid for a while. */
export function RotateDialog({ apiKey, send, onMade, onClose }: MakeProps & { readonly apiKey: KeyJson }) {
  const form = useForm(
    ({ hours }) => send({ overlap_hours: Number(hours), expires: apiKey.expires }),
    onMade,
  );
  const error = form.otherError();
  return (
    <Dialog title={t.rotateTitle(apiKey.name)} onClose={onClose}>
      <form className="grid gap-7" onSubmit={form.onSubmit}>
        <p className="text-ink-2">{t.rotateLead}</p>
        <Select label={t.overlap} name="hours" defaultValue="24">
          {Object.entries(t.overlaps).map(([hours, words]) => (
            <option key={hours} value={hours}>
              {words}
            </option>
          ))}
        </Select>
        {error !== null && <ErrorText>{error}</ErrorText>}
        <DialogActions>
          <Button onClick={onClose}>{m.controls.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            {t.rotate}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

export function RevokeDialog({
  apiKey,
  isBusy,
  onConfirm,
  onClose,
}: {
  readonly apiKey: KeyJson;
  readonly isBusy: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={t.revokeTitle(apiKey.name)} onClose={onClose}>
      <p className="text-ink-2">{t.revokeLead}</p>
      <DialogActions>
        <Button onClick={onClose}>{m.controls.keep}</Button>
        <Button kind="danger" isBusy={isBusy} onClick={onConfirm}>
          {t.revoke}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
