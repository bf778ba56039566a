import { useSuspenseQuery } from '@tanstack/react-query';
import { query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Field } from '../../ui/field.tsx';

export const EmailField = () => (
  <Field
    label={m.fields.email}
    name="email"
    type="email"
    placeholder={m.fields.emailPlaceholder}
    autoComplete="username"
  />
);

export const NameField = () => (
  <Field label={m.fields.name} name="name" autoComplete="name" hint={m.fields.nameHint} />
);

export function NewPasswordField({
  label = m.fields.newPassword,
  hint,
}: {
  readonly label?: string;
  readonly hint?: string;
}) {
  const { data } = useSuspenseQuery(query.entrance());
  return (
    <Field
      label={label}
      name="password"
      type="password"
      autoComplete="new-password"
      hint={hint ?? m.fields.passwordHint(data.minPasswordLength)}
    />
  );
}

export const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
