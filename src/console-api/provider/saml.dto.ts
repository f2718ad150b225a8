import { ArrayMaxSize, ArrayMinSize, IsArray, IsString, MaxLength } from 'class-validator';
import { MAX_CERTIFICATES } from '../../auth/provider/saml-certificate';
import { IsName, MayBeAbsent } from '../../common/validation/text-rules';
import { IsParsedUrl, IsShort, ProviderDto } from './provider.dto';

const text = { message: 'must be a string', context: { code: 'wrong_type' } };
const certificates = {
  message: `must be a list of 1 to ${String(MAX_CERTIFICATES)} certificates of up to 10000 characters`,
  context: { code: 'invalid_format' },
};

/** A URL that the browser or the service opens. */
const IsWebUrl = (): PropertyDecorator => (target, property) => {
  const url = {
    message: 'must be a URL with https or http of up to 2000 characters, without user and fragment',
    context: { code: 'invalid_format' },
  };
  const shape = { protocols: ['https', 'http'], require_tld: false, require_protocol: true };
  IsParsedUrl({ ...shape, allow_fragments: false, disallow_auth: true }, url)(target, property);
  MaxLength(2_000, url)(target, property);
};

const IsCertificates = (): PropertyDecorator => (target, property) => {
  IsArray(certificates)(target, property);
  ArrayMinSize(1, certificates)(target, property);
  ArrayMaxSize(MAX_CERTIFICATES, certificates)(target, property);
  MaxLength(10_000, { each: true, ...certificates })(target, property);
};

export class CreateSamlProviderDto extends ProviderDto {
  @IsName()
  name!: string;

  /** Entity ID of the provider. */
  @IsShort()
  issuer!: string;

  @IsWebUrl()
  ssoUrl!: string;

  @IsCertificates()
  certificates!: string[];
}

export class UpdateSamlProviderDto extends ProviderDto {
  @MayBeAbsent()
  @IsName()
  name?: string;

  @MayBeAbsent()
  @IsWebUrl()
  ssoUrl?: string;

  @MayBeAbsent()
  @IsCertificates()
  certificates?: string[];
}

/** Metadata of a provider, or where they are. */
export class SamlMetadataDto {
  @MayBeAbsent()
  @IsString(text)
  xml?: string;

  @MayBeAbsent()
  @IsWebUrl()
  url?: string;
}
