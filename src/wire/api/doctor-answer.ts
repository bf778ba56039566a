/** What the service tells `tocsin doctor` of a request. */
export interface DoctorAnswer {
  /** Shows that the service has the same secret. */
  readonly proof: string;
  readonly version: string;
  /** `SITE_ROOT` of the service. */
  readonly root: string;
  /** The address that a ping would be recorded with. */
  readonly address: string;
  /** The other end of the connection. */
  readonly peer: { readonly address: string; readonly port: number };
  /** The header `X-Forwarded-For`. */
  readonly forwarded_for: string | null;
  readonly body_bytes: number;
}
