import { TEXT_LIMITS } from '../../../src/domain/text-limits.ts';
import { act } from '../../app/act.ts';
import { mayWrite, useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Chip } from '../../ui/chip.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, FormError, Submit } from '../../ui/form.tsx';
import { Section } from '../../ui/section.tsx';
import { ClockTime } from '../../ui/time.tsx';
import { tell } from '../../ui/toasts.tsx';
import { SettingsPage } from './settings-page.tsx';

const t = m.settings.general;

/** The name of the project, and the person's role in it. */
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
        <dl className="grid grid-cols-[88px_minmax(0,1fr)] gap-1.5 text-13 md:grid-cols-[140px_1fr]">
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
  return (
    <Section title={t.name} lead={t.nameLead}>
      <Form
        send={(values) => act.renameProject({ project: uuid, name: values.name ?? '' })}
        done={() => tell(t.renamed)}
        isKept
      >
        <div className="flex max-w-[460px] items-end gap-2">
          <div className="min-w-0 flex-1">
            <Field
              label={t.name}
              isLabelHidden
              name="name"
              defaultValue={name}
              maxLength={TEXT_LIMITS.projectName}
              required
            />
          </div>
          <Submit kind="plain" size="large">
            {m.controls.save}
          </Submit>
        </div>
        <FormError />
      </Form>
    </Section>
  );
}
