import { use } from 'react';
import { TEXT_LIMITS } from '../../../src/domain/text-limits.ts';
import { type ActAnswer, act } from '../../app/act.ts';
import { m } from '../../messages/index.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Select } from '../../ui/select.tsx';
import { PersonsTimes } from '../../ui/time.tsx';
import { instantOf, type TimeStyle } from '../../ui/times.ts';
import type { Key } from './keys.tsx';

const t = m.settings.keys;

export type MadeKey = ActAnswer<'createKey'>;

interface MakeProps {
  readonly project: string;
  readonly onMade: (key: MadeKey) => void;
  readonly onClose: () => void;
}

/** The last day on which a key works, as the form has it, becomes a time for the server. */
function endOf(day: string | undefined, style: TimeStyle): string | null {
  const at = instantOf(`${day ?? ''}T23:59:59`, style);
  return at === null ? null : new Date(at).toISOString();
}

export function NewKeyDialog({ project, onMade, onClose }: MakeProps) {
  const style = use(PersonsTimes);
  return (
    <FormDialog
      title={t.new}
      action={t.make}
      send={({ name = '', kind, expires }) =>
        act.createKey({
          project,
          name,
          kind: kind === 'read_only' ? kind : 'read_write',
          expires: endOf(expires, style),
        })
      }
      done={onMade}
      onClose={onClose}
      className="grid gap-3.5"
    >
      <Field
        label={t.name}
        hint={t.nameHint}
        name="name"
        maxLength={TEXT_LIMITS.keyName}
        required
        autoComplete="off"
      />
      <Select label={t.may} name="kind" defaultValue="read_write" options={Object.entries(t.kinds)} />
      <Field label={t.end} hint={t.endHint} name="expires" type="date" />
    </FormDialog>
  );
}

/** A new key in the place of an old one, which stays valid for a while. */
export function RotateDialog({ project, apiKey, onMade, onClose }: MakeProps & { readonly apiKey: Key }) {
  const { uuid: key, name, expires } = apiKey;
  return (
    <FormDialog
      title={t.rotateTitle(name)}
      action={t.rotate}
      send={({ hours }) => act.rotateKey({ project, key, overlapHours: Number(hours), expires })}
      done={onMade}
      onClose={onClose}
      className="grid gap-3.5"
    >
      <p className="text-ink-2">{t.rotateLead}</p>
      <Select label={t.overlap} name="hours" defaultValue="24" options={Object.entries(t.overlaps)} />
    </FormDialog>
  );
}
