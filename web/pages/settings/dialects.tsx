import { useSuspenseQuery } from '@tanstack/react-query';
import { act } from '../../app/act.ts';
import { query } from '../../app/read.ts';
import { useAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { AliasList } from '../../ui/alias-list.tsx';
import { Section } from '../../ui/section.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Switch } from '../../ui/switch.tsx';

const t = m.settings.dialects;

/** The programs whose ping addresses the project accepts. */
export function Dialects({ project }: { readonly project: string }) {
  const { data } = useSuspenseQuery(query.projectDialects({ project }));
  const { kuma, cronitor, create, aliases } = data;
  const { run, isBusy } = useAct(act.setDialects);
  const set = (changed: Partial<typeof data>) => {
    const { aliases: _aliases, declarations: _declarations, ...dialects } = { ...data, ...changed };
    run({ project, ...dialects });
  };
  return (
    <Section title={t.title} lead={t.lead}>
      <ul className="grid gap-2">
        <Choice label={t.accept(t.programs.kuma)} form={t.forms.kuma}>
          <Switch
            label={t.accept(t.programs.kuma)}
            isOn={kuma}
            isBusy={isBusy}
            onChange={(isOn) => set({ kuma: isOn })}
          />
        </Choice>
        <Choice label={t.accept(t.programs.cronitor)} form={t.forms.cronitor}>
          <Switch
            label={t.accept(t.programs.cronitor)}
            isOn={cronitor}
            isBusy={isBusy}
            onChange={(isOn) => set({ cronitor: isOn })}
          />
        </Choice>
        {cronitor && (
          <Choice label={t.create}>
            <Switch
              label={t.create}
              isOn={create}
              isBusy={isBusy}
              onChange={(isOn) => set({ create: isOn })}
            />
          </Choice>
        )}
      </ul>
      {(cronitor || aliases.length > 0) && (
        <div className="grid gap-2">
          <h3 className="font-medium">{t.keys}</h3>
          <p className="text-12 text-ink-3">{t.keyLead}</p>
          <AliasList
            aliases={aliases}
            programs={cronitor ? ['cronitor'] : []}
            addLabel={t.addKey}
            add={(alias) => act.addProjectAlias({ project, ...alias })}
            remove={(alias) => act.removeProjectAlias({ project, alias })}
          />
        </div>
      )}
    </Section>
  );
}

const MODES = ['off', 'create', 'follow'] as const;

/** Whether jobs may declare their checks. */
export function JobDeclarations({ project }: { readonly project: string }) {
  const { data } = useSuspenseQuery(query.projectDialects({ project }));
  const { run } = useAct(act.setJobDeclarations);
  const { declarations: d } = t;
  return (
    <Section title={d.title} lead={d.lead}>
      <div>
        <Segments
          label={d.title}
          choices={MODES.map((value) => ({ value, label: d.modes[value] }))}
          value={data.declarations}
          onChange={(mode) => run({ project, mode })}
        />
      </div>
      <p className="text-12 text-ink-3">{d.means[data.declarations]}</p>
      <code className="block text-12 break-all text-ink-3">{d.example}</code>
    </Section>
  );
}

function Choice({
  label,
  form,
  children,
}: {
  readonly label: string;
  /** How its addresses look. */
  readonly form?: string;
  readonly children: React.ReactNode;
}) {
  return (
    <li className="flex items-center gap-2.5">
      <span className="min-w-0 flex-1">
        <span className="block">{label}</span>
        {form !== undefined && <code className="block text-12 break-all text-ink-3">{form}</code>}
      </span>
      {children}
    </li>
  );
}
