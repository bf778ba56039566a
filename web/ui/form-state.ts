import { createContext, use } from 'react';

/** What a form tells its parts. */
interface FormState {
  readonly isBusy: boolean;
  /** The value of the button that has sent it, where a form has several. */
  readonly sentBy: string | null;
  /** What is wrong with the field of this name. */
  readonly errorOf: (field: string | undefined) => string | null;
  /** What is wrong with no field of the form in particular. */
  readonly otherError: string | null;
}

export const FormContext = createContext<FormState>({
  isBusy: false,
  sentBy: null,
  errorOf: () => null,
  otherError: null,
});

/** What the form around it says is wrong with a field. A field calls it. */
export const useFieldError = (name: string | undefined): string | null => use(FormContext).errorOf(name);

/** What is wrong with no field of the form around it in particular. */
export const useFormError = (): string | null => use(FormContext).otherError;
