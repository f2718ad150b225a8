/** JSON text sent without the envelope: a document in its own format. */
export class BareJson {
  constructor(readonly json: string) {}
}
