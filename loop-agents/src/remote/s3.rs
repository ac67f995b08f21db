//! Objects in stores that speak the protocol of S3: `s3://BUCKET/KEY`.

use std::fmt;

use reqwest::Url;
use rusty_s3::{Bucket, Credentials, S3Action, UrlStyle};

use super::{
    RemoteContent, RemoteError, RemoteReader,
    reader::{Bound, MAX_TIME, content},
};

/// The region of a store that has none, such as one of your own.
const USUAL_REGION: &str = "us-east-1";

/// Where the store is, and who reads it.
#[derive(Clone)]
pub struct S3Access {
    credentials: Option<Credentials>,
    region: String,
    endpoint: Option<String>,
}

impl S3Access {
    /// Reads the usual variables: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION` or
    /// `AWS_DEFAULT_REGION`, and `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL` for a store elsewhere. Without keys, only
    /// public objects can be read. The default region is `us-east-1`.
    pub fn from_variables(lookup: impl Fn(&str) -> Option<String>) -> Self {
        let first = |names: [&str; 2]| names.into_iter().find_map(&lookup);
        let keys = lookup("AWS_ACCESS_KEY_ID").zip(lookup("AWS_SECRET_ACCESS_KEY"));
        let credentials = keys.map(|(key, secret)| match lookup("AWS_SESSION_TOKEN") {
            Some(token) => Credentials::new_with_token(key, secret, token),
            None => Credentials::new(key, secret),
        });
        let region = first(["AWS_REGION", "AWS_DEFAULT_REGION"]).unwrap_or_else(|| USUAL_REGION.to_owned());
        Self { credentials, region, endpoint: first(["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"]) }
    }

    /// Returns an address with a signature in its query.
    fn signed(&self, address: &str) -> Result<Url, RemoteError> {
        let wrong = |why: &str| RemoteError::Address(why.to_owned());
        let place = address.split_once("://").map_or(address, |(_, place)| place);
        let (name, key) = place.split_once('/').filter(|(_, key)| !key.is_empty()).unzip();
        let (Some(name), Some(key)) = (name, key) else { return Err(wrong("write it as `s3://BUCKET/KEY`")) };
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || ".-_".contains(letter);
        if name.is_empty() || !name.chars().all(is_plain) {
            return Err(wrong(
                "the name of the bucket has other characters than letters, digits, `.`, `-` and `_`",
            ));
        }
        let of_amazon = || format!("https://s3.{}.amazonaws.com", self.region);
        let endpoint = self.endpoint.clone().unwrap_or_else(of_amazon);
        let endpoint = super::address::parse(&endpoint)?;
        // The certificate of a name below the store's does not cover a dot in it.
        let has_own_host = self.endpoint.is_none() && !name.contains('.');
        let style = if has_own_host { UrlStyle::VirtualHost } else { UrlStyle::Path };
        let bucket = Bucket::new(endpoint, style, name.to_owned(), self.region.clone());
        let bucket = bucket.map_err(|error| RemoteError::Address(error.to_string()))?;
        Ok(bucket.get_object(self.credentials.as_ref(), key).sign(MAX_TIME))
    }
}

impl fmt::Debug for S3Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("S3Access")
            .field("region", &self.region)
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}

impl RemoteReader {
    /// Reads objects of S3-compatible stores too.
    #[must_use]
    pub fn s3(mut self, access: S3Access) -> Self {
        self.s3 = Some(access);
        self
    }

    /// Reads an object. A redirect is an error, because its target needs another signature.
    pub(super) async fn object(
        &self,
        access: &S3Access,
        address: &str,
        bound: Bound,
    ) -> Result<RemoteContent, RemoteError> {
        let url = access.signed(address)?;
        let response = self.request(&url).await?;
        let content = content(&url, response, bound).await;
        content.map(|content| RemoteContent { address: address.to_owned(), ..content })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_has_a_signed_address_in_the_style_of_its_store() {
        let set = |variables: &'static [(&str, &str)]| {
            let find = |name: &str| {
                variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
            };
            S3Access::from_variables(find)
        };
        let amazon =
            set(&[("AWS_ACCESS_KEY_ID", "id"), ("AWS_SECRET_ACCESS_KEY", "s"), ("AWS_REGION", "eu-west-1")]);
        let url = amazon.signed("s3://box/a b/c.md").expect("an address");
        assert!(url.as_str().starts_with("https://box.s3.eu-west-1.amazonaws.com/a%20b/c.md?"), "{url}");
        assert!(
            url.query().is_some_and(|query| query.contains("X-Amz-Signature=") && query.contains("id%2F")),
            "{url}"
        );
        let dotted = amazon.signed("s3://a.box/k").expect("an address");
        assert!(dotted.as_str().starts_with("https://s3.eu-west-1.amazonaws.com/a.box/k?"), "{dotted}");
        let other = set(&[("AWS_ENDPOINT_URL", "http://minio.test:9000")]);
        assert_eq!(other.signed("s3://box/k").expect("an address").as_str(), "http://minio.test:9000/box/k");
        for wrong in ["s3://box", "s3://box/", "s3:///k", "s3://b@x/k", "s3://b:1/k"] {
            assert!(matches!(amazon.signed(wrong), Err(RemoteError::Address(_))), "{wrong}");
        }
        assert!(matches!(
            set(&[("AWS_ENDPOINT_URL", "file:///x")]).signed("s3://box/k"),
            Err(RemoteError::Scheme(_))
        ));
    }
}
