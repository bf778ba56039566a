import { useQueryClient } from '@tanstack/react-query';
import { post } from '../../app/api.ts';
import { projectQuery, projectsQuery } from '../../app/queries.ts';
import { useForm } from '../../app/use-form.ts';
import { mayWrite, useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { Section } from '../../ui/section.tsx';
import { ClockTime } from '../../ui/time.tsx';
import { tell } from '../../ui/toasts.tsx';
import { SettingsPage } from './settings-page.tsx';

const t = m.settings.general;

/** The name of the project, and what the person is in it. */
export function General() {
  const project = useProject();
  return (
    <SettingsPage title={t.title}>
      {mayWrite(project) ? (
        <Rename key={project.name} uuid={project.uuid} name={project.name} />
      ) : (
        <Section title={t.name}>
          <p>{project.name}</p>
        </Section>
      )}
      <Section title={t.facts}>
        <dl className="grid grid-cols-[88px_minmax(0,1fr)] gap-3 text-13 md:grid-cols-[140px_1fr]">
          <dt className="text-ink-3">{t.role}</dt>
          <dd>
            <Chip>{m.roles[project.role]}</Chip>
          </dd>
          <dt className="text-ink-3">{t.created}</dt>
          <dd>
            <ClockTime at={project.created} />
          </dd>
          <dt className="text-ink-3">{t.id}</dt>
          <dd>
            <code className="text-12 break-all">{project.uuid}</code>
          </dd>
        </dl>
      </Section>
    </SettingsPage>
  );
}

function Rename({ uuid, name }: { readonly uuid: string; readonly name: string }) {
  const queries = useQueryClient();
  const form = useForm(
    (values) => post(`/projects/${uuid}`, values),
    () => {
      tell(t.renamed);
      void queries.invalidateQueries({ queryKey: projectsQuery.queryKey });
      void queries.invalidateQueries({ queryKey: projectQuery(uuid).queryKey });
    },
  );
  const error = form.otherError('name');
  return (
    <Section title={t.name} lead={t.nameLead}>
      <form className="flex max-w-[460px] items-end gap-4" onSubmit={form.onSubmit}>
        <div className="min-w-0 flex-1">
          <Field
            label={t.name}
            isLabelHidden
            name="name"
            defaultValue={name}
            maxLength={60}
            required
            error={form.errorOf('name')}
          />
        </div>
        <Button type="submit" size="large" isBusy={form.isBusy}>
          {m.controls.save}
        </Button>
      </form>
      {error !== null && <ErrorText>{error}</ErrorText>}
    </Section>
  );
}
